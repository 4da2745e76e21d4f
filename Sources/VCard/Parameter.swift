/// A parameter of a property, such as `TYPE=home,work`.
///
/// ```swift
/// Property("TEL", parameters: [Parameter("TYPE", ["home", "voice"])], value: .text("+1 555 0100"))
/// ```
public struct Parameter: Sendable, Hashable {
  /// The name in upper case; bare words of vCard 2.1 are named TYPE, ENCODING or VALUE by their meaning.
  public var name: String
  /// The values, without quotes and with RFC 6868 escapes resolved.
  public var values: [String]

  /// Makes a parameter.
  ///
  /// - Parameters:
  ///   - name: The name in upper case.
  ///   - values: The values in plain text.
  public init(_ name: String, _ values: [String]) {
    self.name = name
    self.values = values
  }

  /// Makes a parameter with one value.
  public init(_ name: String, _ value: String) {
    self.init(name, [value])
  }
}

extension Parameter {
  init(_ range: ParameterRange, in bytes: [UInt8], isLegacy: Bool) {
    guard !range.name.isEmpty else {
      let word = Self.text(range.value, in: bytes, isLegacy: isLegacy)
      self.init(Self.nameOfBareWord(word.uppercasedASCII), word)
      return
    }
    let name = String(decoding: bytes[range.name], as: UTF8.self).uppercasedASCII
    self.init(name, Self.values(range.value, in: bytes, isLegacy: isLegacy))
  }

  /// The values between unquoted commas.
  static func values(_ range: Range<Int>, in bytes: [UInt8], isLegacy: Bool) -> [String] {
    var values: [String] = []
    var isQuoted = false
    var start = range.lowerBound
    for index in range {
      if bytes[index] == ASCII.quote { isQuoted.toggle() }
      if bytes[index] == ASCII.comma, !isQuoted {
        values.append(text(start..<index, in: bytes, isLegacy: isLegacy))
        start = index + 1
      }
    }
    values.append(text(start..<range.upperBound, in: bytes, isLegacy: isLegacy))
    return values
  }

  private static func text(_ range: Range<Int>, in bytes: [UInt8], isLegacy: Bool) -> String {
    let range = bytes.unquoted(bytes.trimmingBlanks(range))
    guard !isLegacy, bytes.firstIndex(of: ASCII.caret, in: range) != nil else {
      return String(decoding: bytes[range], as: UTF8.self)
    }
    var result: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      index += 1
      guard byte == ASCII.caret, index < range.upperBound else {
        result.append(byte)
        continue
      }
      switch bytes[index] {
      case UInt8(ascii: "n"): result.append(ASCII.lineFeed)
      case UInt8(ascii: "'"): result.append(ASCII.quote)
      case ASCII.caret: result.append(ASCII.caret)
      case let other: result += [byte, other]
      }
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func nameOfBareWord(_ word: String) -> String {
    switch word {
    case "QUOTED-PRINTABLE", "BASE64", "B", "8BIT", "7BIT": "ENCODING"
    case "INLINE", "URL", "URI", "CID", "CONTENT-ID": "VALUE"
    default: "TYPE"
    }
  }
}

/// The ranges of one parameter in the bytes of its card.
struct ParameterRange {
  /// Empty for a bare word of vCard 2.1 (`TEL;HOME:`).
  var name: Range<Int>
  /// The value with its quotes.
  var value: Range<Int>
}

/// Splits the bytes between the name and the value of a property into parameters.
struct ParameterScanner: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var rest: Range<Int>

  init(_ line: ContentLine, in bytes: [UInt8]) {
    self.bytes = bytes
    rest = line.parameters
  }

  mutating func next() -> ParameterRange? {
    while !rest.isEmpty {
      var isQuoted = false
      var equals: Int?
      // Android writes a label as a bare word, `X-CUSTOM(CHARSET=...)`; the equals signs in it are part of the word.
      var isNamed = true
      var index = rest.lowerBound
      while index < rest.upperBound, isQuoted || bytes[index] != ASCII.semicolon {
        if bytes[index] == ASCII.quote { isQuoted.toggle() }
        if bytes[index] == UInt8(ascii: "("), equals == nil { isNamed = false }
        if bytes[index] == ASCII.equals, isNamed, !isQuoted, equals == nil { equals = index }
        index += 1
      }
      let piece = rest.lowerBound..<index
      rest = Swift.min(index + 1, rest.upperBound)..<rest.upperBound
      if let equals {
        return ParameterRange(
          name: bytes.trimmingBlanks(piece.lowerBound..<equals),
          value: bytes.trimmingBlanks(equals + 1..<piece.upperBound))
      }
      let word = bytes.trimmingBlanks(piece)
      if !word.isEmpty { return ParameterRange(name: word.lowerBound..<word.lowerBound, value: word) }
    }
    return nil
  }
}
