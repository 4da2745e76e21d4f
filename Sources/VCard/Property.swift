/// One property of a card: group, name, parameters and value.
///
/// A property is a set of ranges in its card's bytes; its texts are decoded on each access.
///
/// ```swift
/// for property in card.properties(named: "TEL") { print(property.text, property.values(ofParameter: "TYPE")) }
/// ```
public struct Property: Sendable {
  let bytes: [UInt8]
  let line: ContentLine

  init(_ line: ContentLine, in bytes: [UInt8]) {
    self.line = line
    self.bytes = bytes
  }

  /// The group before the dot (`item1` in `item1.TEL`), as written.
  public var group: String? {
    line.group.isEmpty ? nil : String(decoding: bytes[line.group], as: UTF8.self)
  }

  /// The name in upper case.
  public var name: String {
    String(decoding: bytes[line.name], as: UTF8.self).uppercasedASCII
  }

  /// The line the property starts on, counted from 1 in the whole input.
  public var lineNumber: Int { line.number }

  /// All parameters in order.
  public var parameters: [Parameter] {
    ParameterScanner(line, in: bytes).map { Parameter($0, in: bytes, isLegacy: isLegacy) }
  }

  /// The value with its encoding and character set decoded, but with escapes; for values that are not text, such as
  /// URIs.
  public var rawText: String { TextValue.normalized(content) }

  /// The value as one text, unescaped, with its commas and semicolons.
  public var text: String { TextValue.unescape(content) }

  /// The texts between commas, without empty ones (NICKNAME, CATEGORIES).
  public var list: [String] {
    TextValue.split(content, at: ASCII.comma).map { TextValue.unescape($0).trimmed }.filter { !$0.isEmpty }
  }

  /// The texts between semicolons (ORG).
  public var fields: [String] {
    TextValue.split(content, at: ASCII.semicolon).map { TextValue.unescape($0).trimmed }
  }

  /// The components between semicolons, each a list between commas (N, ADR).
  public var components: [[String]] {
    TextValue.split(content, at: ASCII.semicolon).map { component in
      TextValue.split(component, at: ASCII.comma).map { TextValue.unescape($0).trimmed }
    }
  }

  /// True if the name is `name`, which is ASCII in upper case.
  public func isNamed(_ name: String) -> Bool { bytes.matches(name, in: line.name) }

  /// The values of all parameters named `name`, which is ASCII in upper case.
  public func values(ofParameter name: String) -> [String] {
    guard !line.parameters.isEmpty else { return [] }
    return ParameterScanner(line, in: bytes).flatMap { range -> [String] in
      if range.name.isEmpty {
        let parameter = Parameter(range, in: bytes, isLegacy: isLegacy)
        return parameter.name == name ? parameter.values : []
      }
      guard bytes.matches(name, in: range.name) else { return [] }
      return Parameter.values(range.value, in: bytes, isLegacy: isLegacy)
    }
  }

  /// The first value of the parameter named `name`, which is ASCII in upper case.
  public func value(ofParameter name: String) -> String? { values(ofParameter: name).first }
}

extension Property {
  var isLegacy: Bool { line.traits.contains(.legacy) }

  /// The value as UTF-8, unfolded and decoded; a slice of the card if nothing had to be changed.
  var content: ArraySlice<UInt8> { decodedContent.bytes }

  /// The value as UTF-8, and true if all its bytes were of its character set.
  var decodedContent: (bytes: ArraySlice<UInt8>, isClean: Bool) {
    let plain: ArraySlice<UInt8>
    if line.traits.contains(.quotedPrintable) {
      plain = QuotedPrintable.decode(bytes, in: line.value)[...]
    } else if line.traits.contains(.folded) {
      plain = bytes.unfolded(line.value)[...]
    } else {
      plain = bytes[line.value]
    }
    guard line.traits.contains(.hasCharset), let name = value(ofParameter: "CHARSET"),
      !CharsetDecoder.isUTF8(name)
    else { return (plain, true) }
    guard let decoder = CharsetDecoder(name) else { return (plain, false) }
    let decoded = decoder.decode(plain)
    return (decoded.text[...], decoded.isClean)
  }
}
