/// Texts as they come back from the server.
enum ServerText {
  /// A text without white space at its ends, which the server takes away, and with the line ends of this side: a
  /// browser sends carriage returns along when somebody edits a text there.
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

  /// White space, and what is taken for it by Laravel: the byte order mark and the space of no width.
  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{FEFF}" || scalar == "\u{200B}"
  }
}
