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

  /// Longer text: its lines, each without control characters.
  static func lines(_ text: String) -> [String] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { Self.text(String($0)) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// As much of text as goes into so many columns, with an ellipsis where something is left out.
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

  /// Text in lines of at most so many columns, broken between words where that is possible.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    Self.lines(text).flatMap { line in
      var wrapped: [String] = []
      var current = ""
      for word in line.split(separator: " ") {
        var word = String(word)
        if !current.isEmpty, Self.width(current) + 1 + Self.width(word) <= width {
          current += " " + word
          continue
        }
        if !current.isEmpty { wrapped.append(current) }
        while Self.width(word) > width {
          var rest = width
          let head = word.prefix { character in
            rest -= Self.width(String(character))
            return rest >= 0
          }
          wrapped.append(String(head))
          word = String(word.dropFirst(head.count))
        }
        current = word
      }
      return wrapped + [current]
    }
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
