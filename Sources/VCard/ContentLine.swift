/// The ranges of one property's parts in the bytes of its card (RFC 6350 3.3, `contentline`).
struct ContentLine: Sendable, Hashable {
  struct Traits: OptionSet, Sendable, Hashable {
    let rawValue: UInt8
    /// The value spans several physical lines.
    static let folded = Traits(rawValue: 1)
    static let quotedPrintable = Traits(rawValue: 2)
    static let base64 = Traits(rawValue: 4)
    static let hasCharset = Traits(rawValue: 8)
    /// The card is a vCard 2.1.
    static let legacy = Traits(rawValue: 16)
    /// The value is a complete card.
    static let nested = Traits(rawValue: 32)
    /// The value is not UTF-8 and no character set is declared.
    static let undeclared = Traits(rawValue: 64)
  }

  /// The part before the dot; empty without a group.
  var group: Range<Int>
  var name: Range<Int>
  /// The bytes between the first semicolon and the colon; empty without parameters.
  var parameters: Range<Int>
  var value: Range<Int>
  /// The line the property starts on, counted from 1 in the whole input.
  var number: Int
  var traits: Traits = []

  /// Parses the part before the value of an unfolded line; nil if the line is not a property.
  ///
  /// - Parameter honoursQuotes: True if colons in double quotes belong to parameters.
  init?(_ line: Range<Int>, in bytes: [UInt8], number: Int, honoursQuotes: Bool) {
    let line = bytes.skippingByteOrderMark(line)
    var nameStart = line.lowerBound
    while nameStart < line.upperBound, bytes[nameStart].isBlank { nameStart += 1 }
    var group = nameStart..<nameStart
    var index = nameStart
    scan: while index < line.upperBound {
      switch bytes[index] {
      case ASCII.dot where group.isEmpty:
        group = nameStart..<index
        nameStart = index + 1
      case ASCII.colon, ASCII.semicolon:
        break scan
      case let byte where byte.isNameByte || byte.isBlank || byte == ASCII.dot:
        break
      default:
        return nil
      }
      index += 1
    }
    let name = bytes.trimmingBlanks(nameStart..<index)
    guard index < line.upperBound, !name.isEmpty, !name.contains(where: { bytes[$0].isBlank }) else { return nil }
    let parametersStart = index + 1
    if bytes[index] == ASCII.semicolon {
      var isQuoted = false
      while index < line.upperBound, isQuoted || bytes[index] != ASCII.colon {
        if bytes[index] == ASCII.quote, honoursQuotes { isQuoted.toggle() }
        index += 1
      }
      guard index < line.upperBound else { return nil }
    }
    self.group = group
    self.name = name
    self.parameters = parametersStart..<max(parametersStart, index)
    self.value = index + 1..<line.upperBound
    self.number = number
  }

  /// The first byte of the group or name.
  var start: Int { group.isEmpty ? name.lowerBound : group.lowerBound }
}
