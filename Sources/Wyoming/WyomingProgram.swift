/// What answers sentences over Wyoming, as it introduces itself.
///
/// ```swift
/// let program = WyomingProgram(name: "kith", description: "The log of home care", version: "0.2.0", languages: ["en", "ja"])
/// ```
public struct WyomingProgram: Sendable, Hashable {
  /// Its name, in lower case. Home Assistant calls the agent so.
  public let name: String
  /// For people.
  public let description: String
  /// Its release.
  public let version: String
  /// The languages that it understands, as BCP 47 tags.
  public let languages: [String]

  /// Makes an introduction.
  public init(name: String, description: String, version: String, languages: [String]) {
    (self.name, self.description, self.version, self.languages) = (name, description, version, languages)
  }

  private struct Info: Codable {
    var handle: [Program]
    // Clients look for each of these.
    var asr: [Program] = []
    var tts: [Program] = []
    var wake: [Program] = []
    var intent: [Program] = []
  }

  private struct Program: Codable {
    var name: String
    var attribution = Attribution()
    var installed = true
    var description: String
    var version: String
    var languages: [String]?
    var models: [Program]?
  }

  private struct Attribution: Codable {
    var name = "Kith"
    var url = ""
  }

  /// The answer to `describe`.
  var info: [UInt8] {
    let model = Program(
      name: self.name, description: self.description, version: self.version, languages: self.languages)
    let program = Program(name: self.name, description: self.description, version: self.version, models: [model])
    return WyomingEvent.line("info", Info(handle: [program]))
  }
}

/// A sentence that somebody said to the house.
///
/// ```swift
/// let sentence = WyomingSentence(text: "log medication", language: nil)
/// ```
public struct WyomingSentence: Sendable, Hashable {
  /// What speech recognition heard.
  public let text: String
  /// A BCP 47 tag; nil if it is not told.
  public let language: String?

  /// Makes a sentence.
  public init(text: String, language: String?) { (self.text, self.language) = (text, language) }
}

/// The answer to a sentence.
///
/// ```swift
/// let answer = WyomingAnswer(text: "Recorded: Medication at 15:00.", isHandled: true)
/// ```
public struct WyomingAnswer: Sendable, Hashable {
  /// What the house says.
  public let text: String
  /// Whether it was carried out; otherwise the house says why not.
  public let isHandled: Bool

  /// Makes an answer.
  public init(text: String, isHandled: Bool) { (self.text, self.isHandled) = (text, isHandled) }
}
