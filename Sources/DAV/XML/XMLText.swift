/// Text as it stands in an XML document.
enum XMLText {
  /// The text with the characters replaced that mean something to XML, fit for content and for attributes.
  ///
  /// Control characters, which XML 1.0 cannot carry, are left out: an href has none, escaped or not.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&apos;"
      case "\u{9}", "\u{A}", "\u{D}": escaped += "&#\(scalar.value);"
      case let scalar where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
