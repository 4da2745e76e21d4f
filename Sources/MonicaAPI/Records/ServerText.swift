/// Normalizes texts from the server.
enum ServerText {
  /// A text without white space at its ends, which the server removes, and with line feeds as line ends: browsers send
  /// carriage returns when a person edits a text on the web.
  static func clean(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      if isAfterReturn, scalar == "\n" {
        isAfterReturn = false
        continue
      }
      isAfterReturn = scalar == "\r"
      scalars.append(isAfterReturn ? "\n" : scalar)
    }
    return String(self.trimmed(scalars[...]))
  }

  /// Without white space at its ends.
  static func trimmed(_ scalars: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    var rest = scalars
    while let first = rest.first, Self.isBlank(first) { rest.removeFirst() }
    while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
    return rest
  }

  /// White space, and what Laravel treats as white space: the byte order mark and the zero-width space.
  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{FEFF}" || scalar == "\u{200B}"
  }
}
