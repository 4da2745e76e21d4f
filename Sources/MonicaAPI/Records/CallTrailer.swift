/// The details of a call that Monica has no fields for, in a readable line at the end of its text:
///
///     — 25 min · happy 😊 · #family #health · 2 attachments
///
/// The line begins with a dash (U+2014) and a space. Its parts are separated by middle dots (U+00B7), each at most
/// once, in any order, all optional: the duration (`25 min`, also `1 h 5 min`), the mood in English (its emoji is
/// decoration), tags (`#` and a word, in which `%`, `#`, `·` and white space are percent-encoded), the number of
/// attachments. A call stored as an activity also has the time of day (`09:41:30 UTC`), and `they called`.
///
/// A text without such a line has no values for these fields. The last line that can be parsed as a trailer counts,
/// wherever someone has moved it. If a person's own note has such a line, an empty trailer (`— no details`) is added
/// below it, so that parsing returns the note as it was written.
struct CallTrailer: Equatable, Sendable {
  var minutes: UInt32 = 0
  /// "happy", "neutral", "sad", "frustrated", "excited", or empty.
  var emotion = ""
  var tags: [String] = []
  var attachments = 0
  /// For a call stored as an activity: `HH:MM:SS` in UTC.
  var clock: String?
  /// For a call stored as an activity; otherwise the server has a field for it.
  var theyCalled = false

  static let emotions = [
    ("happy", "😊"), ("neutral", "😐"), ("sad", "😢"), ("frustrated", "😤"), ("excited", "🤩"),
  ]
  private static let dash: Unicode.Scalar = "\u{2014}"
  private static let dot: Unicode.Scalar = "\u{B7}"
  private static let nothing = "no details"

  init() {}

  // MARK: - Writing

  /// The line; without values, that of an empty trailer.
  var line: String {
    var parts: [String] = []
    if let clock { parts.append("\(clock.hasSuffix(":00") ? String(clock.dropLast(3)) : clock) UTC") }
    if self.theyCalled { parts.append("they called") }
    if self.minutes > 0 { parts.append("\(self.minutes) min") }
    if let (word, sign) = Self.emotions.first(where: { $0.0 == self.emotion }) { parts.append("\(word) \(sign)") }
    let tags = self.tags.filter { !$0.isEmpty }.map { "#\(Self.escaped($0))" }
    if !tags.isEmpty { parts.append(tags.joined(separator: " ")) }
    if self.attachments > 0 { parts.append(self.attachments == 1 ? "1 attachment" : "\(self.attachments) attachments") }
    return "\(Self.dash) " + (parts.isEmpty ? Self.nothing : parts.joined(separator: " \(Self.dot) "))
  }

  /// The note and the trailer as one text.
  func content(note: String) -> String {
    let note = ServerText.clean(note)
    let isNeeded = self.line != CallTrailer().line || Self.lines(of: note).contains { CallTrailer(line: $0) != nil }
    guard isNeeded else { return note }
    return note.isEmpty ? self.line : "\(note)\n\n\(self.line)"
  }

  // MARK: - Reading

  /// Separates the trailer from a text.
  ///
  /// - Returns: The note without the trailer, and the trailer; nil if there is none.
  static func split(_ content: String) -> (note: String, trailer: CallTrailer?) {
    let text = ServerText.clean(content)
    let lines = Self.lines(of: text)
    for index in lines.indices.reversed() {
      guard let trailer = CallTrailer(line: lines[index]) else { continue }
      let before = ServerText.clean(lines[..<index].map { String($0) }.joined(separator: "\n"))
      let after = ServerText.clean(lines[(index + 1)...].map { String($0) }.joined(separator: "\n"))
      return ([before, after].filter { !$0.isEmpty }.joined(separator: "\n\n"), trailer)
    }
    return (text, nil)
  }

  /// Parses a line; nil unless all of its parts belong to a trailer.
  init?(line: Substring.UnicodeScalarView) {
    let line = ServerText.trimmed(line)
    guard line.first == Self.dash, let second = line.dropFirst().first, ServerText.isBlank(second) else { return nil }
    let text = ServerText.trimmed(line.dropFirst())
    if String(text) == Self.nothing { return }
    var seen: Set<Part> = []
    for part in text.split(separator: Self.dot, omittingEmptySubsequences: false) {
      guard let kind = self.take(Substring(ServerText.trimmed(part))), seen.insert(kind).inserted else { return nil }
    }
  }

  private enum Part { case clock, direction, duration, emotion, tags, attachments }

  private mutating func take(_ text: Substring) -> Part? {
    let words = text.unicodeScalars.split(whereSeparator: ServerText.isBlank).map { Substring($0) }
    guard let first = words.first else { return nil }
    if first.unicodeScalars.first == "#" { return self.takeTags(text) }
    if text.lowercased() == "they called" {
      self.theyCalled = true
      return .direction
    }
    if let emotion = Self.emotion(words) {
      self.emotion = emotion
      return .emotion
    }
    if words.count == 2, words[1] == "UTC", let clock = Self.clock(words[0]) {
      self.clock = clock
      return .clock
    }
    if words.count == 2, words[1].lowercased().hasPrefix("attachment"), let count = Int(first), count >= 0 {
      self.attachments = count
      return .attachments
    }
    if let minutes = Self.minutes(words) {
      self.minutes = minutes
      return .duration
    }
    return nil
  }

  private mutating func takeTags(_ text: Substring) -> Part? {
    var tags: [String] = []
    for word in text.unicodeScalars.split(whereSeparator: ServerText.isBlank) {
      guard word.first == "#", word.count > 1, !word.dropFirst().contains("#") else { return nil }
      tags.append(Self.unescaped(word.dropFirst()))
    }
    self.tags = tags
    return .tags
  }

  /// A mood: its word, its emoji, or both.
  private static func emotion(_ words: [Substring]) -> String? {
    guard words.count <= 2, let first = words.first else { return nil }
    if words.count == 2, words[1].unicodeScalars.contains(where: { $0.properties.isAlphabetic || $0.isASCII }) {
      return nil
    }
    return Self.emotions.first { $0.0 == first.lowercased() || $0.1 == first }?.0
  }

  /// `25 min`, `25min`, `1 h`, `1 h 5 min`.
  private static func minutes(_ words: [Substring]) -> UInt32? {
    let text = words.joined().lowercased()
    guard let match = text.wholeMatch(of: /(?:([0-9]{1,8})h(?:ours?)?)?(?:([0-9]{1,10})min(?:utes?|s)?\.?)?/),
      match.output.1 != nil || match.output.2 != nil
    else { return nil }
    let hours = match.output.1.flatMap { UInt64($0) } ?? 0
    let minutes = match.output.2.flatMap { UInt64($0) } ?? 0
    return UInt32(exactly: hours * 60 + minutes)
  }

  private static func clock(_ word: Substring) -> String? {
    let text = word.utf8.count == 5 ? "\(word):00" : String(word)
    guard let stamp = ServerTime.stamp("1970-01-01T\(text)Z"), text.utf8.count == 8 else { return nil }
    return ServerTime.clock(stamp) == text ? text : nil
  }

  private static func lines(of text: String) -> [Substring.UnicodeScalarView] {
    text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
  }

  // MARK: - Tags

  private static func escaped(_ tag: String) -> String {
    tag.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "%" || scalar == "#" || scalar == Self.dot || ServerText.isBlank(scalar) {
        for byte in String(scalar).utf8 {
          text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }

  private static func unescaped(_ word: Substring.UnicodeScalarView) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(word).utf8[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2, let code = UInt8(Substring(rest.prefix(2)), radix: 16) {
        bytes.append(code)
        rest.removeFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self) ?? String(Substring(word))
  }
}
