/// Text as a terminal can show it.
enum Printable {
  /// On which side of a cell text stands.
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

  /// Columns that text takes: two for what East Asian typography sets wide, none for combining marks.
  static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + Self.width($1) } }

  /// Fills text up with spaces.
  static func padded(_ text: String, to width: Int, alignment: Alignment) -> String {
    let padding = String(repeating: " ", count: max(0, width - Self.width(text)))
    return alignment == .left ? text + padding : padding + text
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: true
    // Overrides of the direction of writing.
    case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: false
    }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Unicode Standard Annex 11, the blocks that are Wide or Fullwidth.
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      return 1
    }
  }
}
