public import CivilTime
public import KithMessages

/// Understands what is said to the house, by rules: a sentence of which every word is known has a meaning, and everything else is asked
/// back. It stores nothing and reads nothing.
///
/// ```swift
/// let listener = Listener(now: 1_795_586_400, zone: tokyo, recipient: "Yoshiko Sato")
/// listener.understand("log medication two tablets", .english)  // .record(.medication, memo: "two tablets", at: nil)
/// ```
public struct Listener: Sendable {
  /// The characters of the longest sentence that is looked at.
  public static let longestSentence = 500

  /// Seconds since 1970.
  let now: Int64
  let zone: Zone
  /// The names of the person cared for, in lower case.
  let names: Set<String>
  /// Whether a word for an elder counts only if it is one of the names.
  let isStrict: Bool

  /// Makes a listener of a moment.
  ///
  /// - Parameters:
  ///   - now: Seconds since 1970.
  ///   - zone: Whose clocks the sentences mean.
  ///   - recipient: The name of the person cared for; empty = unknown.
  ///   - called: How the family calls them, such as "mum"; empty = any word for an elder counts.
  public init(now: Int64, zone: Zone, recipient: String, called: [String] = []) {
    self.now = now
    self.zone = zone
    let parts = recipient.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    self.names = Set(parts + [parts.joined(separator: " "), parts.joined()] + called.map { $0.lowercased() })
      .subtracting([""])
    self.isStrict = !called.isEmpty
  }

  var today: Day { self.zone.day(at: self.now * 1_000_000_000) }

  /// What a sentence asks for.
  public func understand(_ text: String, _ language: CareLanguage) -> Intention {
    self.understand(text, language, things: [:])
  }

  /// - Parameter things: More phrases, with their roles.
  func understand(_ text: String, _ language: CareLanguage, things: [String: Lexicon.Role]) -> Intention {
    guard text.count <= Self.longestSentence else { return .unclear(.tooLong) }
    let utterance = Utterance(text, language)
    guard !utterance.tokens.isEmpty else { return .unclear(.noWords) }
    let lexicon = language == .japanese ? Lexicon.japanese : Lexicon.english
    let pieces = lexicon.pieces(utterance, names: self.names, things: things)
    do throws(Doubt) {
      return try Sentence(utterance, pieces, self).meaning()
    } catch {
      return .unclear(error)
    }
  }
}
