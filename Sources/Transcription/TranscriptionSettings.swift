public import Bus

/// The engines of this process with their languages, in order of preference.
public struct TranscriptionSettings: Sendable, Hashable {
  /// The engines. Only the first one with the language is used, even if it fails.
  public var engines: [EngineSettings]
  /// A folder for recordings while they are transcribed, best in memory. Its content is removed, unless another process uses it.
  public var directory: String
  /// The longest accepted recording, in seconds: at most 600.
  public var maximumSeconds: Int
  /// Converts recordings that are not WAV of 16 kHz.
  public var converter: Converter

  /// Makes settings, without checking files.
  public init(
    engines: [EngineSettings], directory: String, maximumSeconds: Int = 300, converter: Converter = Converter()
  ) {
    self.engines = engines
    self.directory = directory
    self.maximumSeconds = maximumSeconds
    self.converter = converter
  }

  /// Refuses invalid settings.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` that names the engine.
  public func check() throws(Failure) {
    guard (1...600).contains(self.maximumSeconds) else {
      throw .invalid(field: "maximum_seconds", "it has to be between 1 and 600")
    }
    var names: Set<String> = []
    for engine in self.engines {
      guard !engine.name.isEmpty, names.insert(engine.name).inserted else {
        throw .invalid(field: "engines", "each engine needs a name of its own; '\(engine.name)' is empty or used twice")
      }
      guard !engine.languages.isEmpty else {
        throw .invalid(field: "engines", "'\(engine.name)' has no languages; write them like \"en\" or \"ja-JP\"")
      }
      for language in engine.languages where LanguageTag(language) == nil {
        throw .invalid(
          field: "engines", "'\(engine.name)': '\(language)' is not a language; write it like \"en\" or \"ja-JP\"")
      }
    }
  }
}
