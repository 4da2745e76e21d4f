public import Bus

/// What turns sound into text here: engines with their languages, in the order in which they are asked for one.
public struct TranscriptionSettings: Sendable, Hashable {
  /// The engines. The first one that has the language is used, and no other one in its place.
  public var engines: [EngineSettings]
  /// A folder for recordings while they are transcribed, best in memory. What is found in it is removed, unless another process
  /// works with it.
  public var directory: String
  /// The longest recording that is taken, in seconds: at most 600.
  public var maximumSeconds: Int
  /// For recordings that are not WAV of 16 kHz.
  public var converter: Converter

  /// Makes settings; nothing is looked for yet.
  public init(
    engines: [EngineSettings], directory: String, maximumSeconds: Int = 300, converter: Converter = Converter()
  ) {
    self.engines = engines
    self.directory = directory
    self.maximumSeconds = maximumSeconds
    self.converter = converter
  }

  /// Refuses settings that cannot be meant.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` that names the engine.
  public func check() throws(Failure) {
    guard (1...600).contains(self.maximumSeconds) else {
      throw .invalid(field: "maximum_seconds", "it has to be between 1 and 600")
    }
    var names: Set<String> = []
    for engine in self.engines {
      guard !engine.name.isEmpty, names.insert(engine.name).inserted else {
        throw .invalid(field: "engines", "each engine needs a name of its own, and '\(engine.name)' is none")
      }
      guard !engine.languages.isEmpty else {
        throw .invalid(field: "engines", "'\(engine.name)' has no languages; write them like \"en\" or \"ja-JP\"")
      }
      for language in engine.languages where LanguageTag(language) == nil {
        throw .invalid(
          field: "engines", "'\(engine.name)': '\(language)' is no language; write it like \"en\" or \"ja-JP\"")
      }
    }
  }
}
