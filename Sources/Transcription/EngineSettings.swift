/// One engine of the configuration.
public struct EngineSettings: Sendable, Hashable {
  /// Its name in records and messages.
  public var name: String
  /// Tags of BCP 47: `en` is English of any region.
  public var languages: [String]
  /// The kind of the engine with its settings.
  public var kind: Kind

  /// Makes an engine of the configuration.
  public init(_ name: String, languages: [String], _ kind: Kind) {
    self.name = name
    self.languages = languages
    self.kind = kind
  }

  /// The kinds of engines.
  public enum Kind: Sendable, Hashable {
    /// `kith-pocketsphinx` with the models of Debian: English.
    case pocketSphinx(PocketSphinxSettings)
    /// `whisper-cli` of whisper.cpp.
    case whisper(WhisperSettings)
    /// `whisper-server` of whisper.cpp on this machine, by its address, with expected words as prompt.
    case whisperServer(address: String, prompt: String)
    /// A server of Home Assistant's Wyoming protocol.
    case wyoming(host: String, port: Int)
    /// A program with the interface of ``WorkerEngine``: its arguments are recording, language and these.
    case command(program: String, arguments: [String])
  }
}

/// `kith-pocketsphinx` and its models.
public struct PocketSphinxSettings: Sendable, Hashable {
  /// The program.
  public var program: String
  /// The folder with acoustic model, dictionary and general language model, of Debian's package pocketsphinx-en-us.
  public var model: String
  /// The caregiving language model, made by `scripts/speech-model.sh`; nil for the general one alone, which gets four times as
  /// many words of caregiving wrong.
  public var caregiving: String?
  /// The share of the caregiving model, between 0 and 1.
  public var weight: Double

  /// Names the files.
  public init(
    program: String, model: String = "/usr/share/pocketsphinx/model/en-us", caregiving: String?, weight: Double = 0.5
  ) {
    self.program = program
    self.model = model
    self.caregiving = caregiving
    self.weight = weight
  }

  /// The settings for a build or an installation: the program is beside this one, the caregiving model in `share/kith/speech`
  /// beside the folder of the programs, or in `.build/speech`.
  ///
  /// - Parameters:
  ///   - directory: The folder of this program.
  ///   - exists: Returns true if a file exists.
  public static func beside(_ directory: String, exists: (String) -> Bool) -> PocketSphinxSettings {
    let places = ["../share/kith/speech", "../../speech"].map { "\(directory)/\($0)/caregiving.lm.bin" }
    return PocketSphinxSettings(program: directory + "/kith-pocketsphinx", caregiving: places.first(where: exists))
  }
}

/// `whisper-cli` and its model.
public struct WhisperSettings: Sendable, Hashable {
  /// The program.
  public var program: String
  /// The file of a ggml model.
  public var model: String
  /// The number of threads.
  public var threads: Int
  /// Words to expect.
  public var prompt: String
  /// A Silero model that detects silence, which is left out; nil for none.
  public var voiceDetector: String?
  /// Megabytes of address space; nil for no limit, because a model may have gigabytes.
  public var memoryMegabytes: Int?

  /// Names program and model.
  public init(
    program: String, model: String, threads: Int = 2, prompt: String = "", voiceDetector: String? = nil,
    memoryMegabytes: Int? = nil
  ) {
    self.program = program
    self.model = model
    self.threads = threads
    self.prompt = prompt
    self.voiceDetector = voiceDetector
    self.memoryMegabytes = memoryMegabytes
  }
}
