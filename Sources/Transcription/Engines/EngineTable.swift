internal import Bus
internal import KithMessages
internal import Transfer

/// The engines of the configuration, and the choice of one by language.
struct EngineTable: Sendable {
  /// One engine with its name and languages.
  struct Entry: Sendable {
    let name: String
    let languages: [String]
    let engine: any Engine
  }

  let entries: [Entry]

  /// Makes the engines.
  ///
  /// - Parameter http: For engines that are reached by HTTP.
  init(_ settings: [EngineSettings], http: HTTPClient?) {
    self.entries = settings.map {
      Entry(name: $0.name, languages: $0.languages, engine: Self.engine($0.kind, http: http))
    }
  }

  /// The first engine that has a language.
  ///
  /// - Throws: `FAILED_PRECONDITION/NO_ENGINE`.
  func engine(for language: LanguageTag) throws(Failure) -> Entry {
    let entry = self.entries.first { entry in
      entry.languages.contains { LanguageTag($0)?.matches(language) ?? false }
    }
    guard let entry else {
      throw Failure(
        .failedPrecondition, "NO_ENGINE",
        "No engine transcribes '\(language.text)'. Name an engine for it in [transcription], or write a memo.",
        details: ["language": language.text])
    }
    return entry
  }

  private static let workerMemory = 1 << 30

  private static func engine(_ kind: EngineSettings.Kind, http: HTTPClient?) -> any Engine {
    switch kind {
    case .pocketSphinx(let settings):
      let caregiving = settings.caregiving.map { ["caregiving=\($0)", "weight=\(settings.weight)"] } ?? []
      var files = [(settings.model + "/en-us.lm.bin", "install pocketsphinx-en-us")]
      if let model = settings.caregiving { files.append((model, "scripts/speech-model.sh makes it")) }
      return WorkerEngine(
        program: settings.program, arguments: ["model=\(settings.model)"] + caregiving, memory: Self.workerMemory,
        files: files)
    case .whisper(let settings):
      return WhisperCommand(
        program: settings.program, model: settings.model, threads: settings.threads, prompt: settings.prompt,
        voiceDetector: settings.voiceDetector, memory: settings.memoryMegabytes.map { $0 << 20 })
    case .whisperServer(let address, let prompt):
      return WhisperServer(address: address, prompt: prompt, http: http)
    case .wyoming(let host, let port):
      return WyomingEngine(host: host, port: port)
    case .command(let program, let arguments):
      return WorkerEngine(program: program, arguments: arguments, memory: nil)
    }
  }
}

/// A language by its tag of BCP 47: `en`, `en-US`, `ja-JP`.
struct LanguageTag: Sendable, Hashable {
  /// As it was given.
  let text: String
  private let subtags: [String]

  /// Reads a tag; nil if it is invalid. RFC 5646, section 2.1, without private and old tags.
  init?(_ text: String) {
    let subtags = text.lowercased().split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    let isTag = subtags.allSatisfy { (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isAlphanumeric) }
    guard isTag, subtags.count <= 5, (2...3).contains(subtags[0].utf8.count),
      subtags[0].utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
    else { return nil }
    self.text = text
    self.subtags = subtags
  }

  /// The language without region: `en`.
  var language: String { self.subtags[0] }

  /// Whether the tags are equal, or one is a more specific form of the other.
  func matches(_ other: LanguageTag) -> Bool {
    self.subtags.starts(with: other.subtags) || other.subtags.starts(with: self.subtags)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}
