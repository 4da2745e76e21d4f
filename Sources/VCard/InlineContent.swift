/// The kind of value of a PHOTO, LOGO, SOUND or KEY.
enum InlineContent {
  case uri(String)
  /// Base64 text, with its folds, in the card.
  case base64(Range<Int>)
  case unreadable

  /// Classifies a value; nil if it is empty.
  init?(_ line: ContentLine, in bytes: [UInt8]) {
    let value = bytes.trimmingWhite(line.value)
    guard !value.isEmpty else { return nil }
    if bytes.starts(with: "DATA:", at: value.lowerBound, before: value.upperBound) {
      self = Self.dataURI(value, in: bytes)
    } else if line.traits.contains(.base64) {
      self = .base64(value)
    } else if let colon = bytes.firstIndex(of: ASCII.colon, in: value.prefix(32)), colon > value.lowerBound,
      bytes[value.lowerBound..<colon].allSatisfy(\.isNameByte)
    {
      self = .uri(Property(line, in: bytes).text.trimmed)
    } else {
      // Base64 text that is declared as something else: every URI has a colon.
      self = value.allSatisfy { Base64.isText(bytes[$0]) } ? .base64(value) : .unreadable
    }
  }

  /// The base64 of `data:image/jpeg;base64,...` (RFC 2397).
  private static func dataURI(_ value: Range<Int>, in bytes: [UInt8]) -> InlineContent {
    // The media type comes first and is short; the comma may be escaped as in a text.
    guard let comma = bytes.firstIndex(of: ASCII.comma, in: value.prefix(256)),
      bytes.unfolded(value.lowerBound..<comma).contains("base64")
    else { return .unreadable }
    return .base64(comma + 1..<value.upperBound)
  }
}

extension [UInt8] {
  /// `range` without blanks and line breaks at its ends.
  func trimmingWhite(_ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, self[lower].isBlank || self[lower].isLineBreak { lower += 1 }
    while upper > lower, self[upper - 1].isBlank || self[upper - 1].isLineBreak { upper -= 1 }
    return lower..<upper
  }

  /// True if `text`, which is ASCII in upper case, is at `start`, ignoring case, and ends before `end`.
  func starts(with text: String, at start: Int, before end: Int) -> Bool {
    end - start >= text.utf8.count && matches(text, in: start..<start + text.utf8.count)
  }

  fileprivate func contains(_ text: String) -> Bool {
    let pattern = Array(text.utf8)
    guard count >= pattern.count else { return false }
    return (0...count - pattern.count).contains { self[$0..<$0 + pattern.count].elementsEqual(pattern) }
  }
}
