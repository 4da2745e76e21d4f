internal import Help

/// Text that is safe to print on a terminal, and its width there.
enum Printable {
  /// The side of a cell on which its text stands.
  enum Alignment: Sendable {
    case left, right
  }

  /// Without control characters, which could move the cursor or recolour the terminal: names come from other people.
  static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: Self.isControl) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isBreak = scalar == "\n" || scalar == "\t" || scalar == "\r"
      shown.append(isBreak ? " " : Self.isControl(scalar) ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }

  /// Longer text: its lines, each without control characters.
  static func lines(_ text: String) -> [String] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { Self.text(String($0)) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// The beginning of a text that fits into `width` columns, with an ellipsis if it was cut.
  static func shortened(_ text: String, to width: Int) -> String {
    let text = Self.text(text)
    guard Self.width(text) > width else { return text }
    var rest = width - 1
    return String(
      text.prefix { character in
        rest -= Self.width(String(character))
        return rest >= 0
      }) + "…"
  }

  /// A text in lines of at most `width` columns, broken as ``Columns/wrapped(_:to:)`` breaks them.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    Self.lines(text).flatMap { Columns.wrapped($0, to: width, breaksWords: true) }
  }

  /// The columns of a text: two for each wide East Asian character, none for combining marks.
  static func width(_ text: String) -> Int { Columns.width(text) }

  /// Pads a text with spaces.
  static func padded(_ text: String, to width: Int, alignment: Alignment) -> String {
    let padding = String(repeating: " ", count: max(0, width - Self.width(text)))
    return alignment == .left ? text + padding : padding + text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: true
    // Overrides of the writing direction.
    case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: false
    }
  }
}
