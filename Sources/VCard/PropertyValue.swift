/// The value of a property that a program makes.
///
/// ```swift
/// Property("N", value: .components([["Lee"], ["Ann"], [], [], []]))
/// ```
public enum PropertyValue: Sendable, Hashable {
  /// One text; it will be escaped.
  case text(String)
  /// Texts, separated by commas (NICKNAME, CATEGORIES).
  case list([String])
  /// Components, separated by semicolons, each a list (N, ADR, ORG).
  case components([[String]])
  /// A value that is written unescaped: a URI, a date, a number.
  case raw(String)
  /// The bytes of a picture, sound or key with their media type.
  case data([UInt8], mediaType: String)

  /// The value as it is written in an unfolded line.
  var encoded: [UInt8] {
    switch self {
    case .text(let text):
      Array(TextValue.escape(text).utf8)
    case .list(let texts):
      Array(texts.map(TextValue.escape).joined(separator: ",").utf8)
    case .components(let components):
      Array(components.map { $0.map(TextValue.escape).joined(separator: ",") }.joined(separator: ";").utf8)
    case .raw(let text):
      Array(text.utf8).flatMap { $0 == ASCII.lineFeed ? Array("\\n".utf8) : $0 == ASCII.carriageReturn ? [] : [$0] }
    case .data(let bytes, let mediaType):
      Array("data:\(mediaType);base64,".utf8) + Base64.encode(bytes)
    }
  }
}

extension Property {
  /// Makes a property.
  ///
  /// - Parameters:
  ///   - name: The name, of letters, digits and `-`; other bytes become `-`.
  ///   - group: The group that connects it with other properties, such as `item1`.
  ///   - parameters: The parameters in plain text.
  ///   - value: The value in plain form.
  public init(_ name: String, group: String? = nil, parameters: [Parameter] = [], value: PropertyValue) {
    var bytes: [UInt8] = []
    if let group, !group.isEmpty {
      bytes += group.nameBytes
      bytes.append(ASCII.dot)
    }
    let groupRange = 0..<max(0, bytes.count - 1)
    let nameStart = bytes.count
    bytes += name.nameBytes
    let nameRange = nameStart..<bytes.count
    for parameter in parameters { bytes += parameter.encoded }
    let parameterRange = min(nameRange.upperBound + 1, bytes.count)..<bytes.count
    bytes.append(ASCII.colon)
    let valueStart = bytes.count
    bytes += value.encoded
    self.init(
      ContentLine(group: groupRange, name: nameRange, parameters: parameterRange, value: valueStart..<bytes.count),
      in: bytes)
  }
}

extension String {
  /// The name in the form that every reader accepts: other names make many readers refuse the whole card.
  fileprivate var nameBytes: [UInt8] {
    let bytes = utf8.map { $0.isDigit || ($0 | 0x20) &- 0x61 < 26 ? $0 : UInt8(ascii: "-") }
    return bytes.isEmpty ? [UInt8(ascii: "X")] : bytes
  }
}

extension ContentLine {
  /// A content line of a new property.
  init(group: Range<Int>, name: Range<Int>, parameters: Range<Int>, value: Range<Int>) {
    self.group = group
    self.name = name
    self.parameters = parameters
    self.value = value
    number = 0
  }
}

extension Parameter {
  /// `;NAME=value,"quoted value"`, escaped by RFC 6868.
  var encoded: [UInt8] {
    let values = values.map { value -> String in
      var text = ""
      for scalar in value.unicodeScalars {
        switch scalar {
        case "^": text += "^^"
        case "\"": text += "^'"
        case "\n": text += "^n"
        case "\u{00}"..."\u{08}", "\u{0B}"..."\u{1F}", "\u{7F}": continue
        default: text.unicodeScalars.append(scalar)
        }
      }
      // Quotes around a caret are optional, and readers without RFC 6868 accept a caret only in quotes.
      let quoted = [ASCII.comma, ASCII.semicolon, ASCII.colon, ASCII.equals, ASCII.caret]
      let needsQuotes = text.utf8.contains { quoted.contains($0) }
      return needsQuotes ? "\"" + text + "\"" : text
    }
    return [ASCII.semicolon] + name.nameBytes + Array(("=" + values.joined(separator: ",")).utf8)
  }
}
