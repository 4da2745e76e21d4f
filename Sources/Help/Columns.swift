internal import Bus
internal import Glibc

/// The columns that text takes on a terminal.
package enum Columns {
  /// Those of the terminal on standard output; 80 without one.
  package static var ofTerminal: Int {
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
    return RuntimeLocations.variable("COLUMNS").flatMap { Int($0) } ?? 80
  }

  /// Two for each wide East Asian character, none for combining marks.
  package static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + Self.width($1) } }

  /// Lines of at most so many columns. Japanese breaks between any two characters, but not before a stop or a closing
  /// bracket, and not behind an opening one. A word that is wider than a line is broken.
  package static func wrapped(_ text: String, to width: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { Self.wrapped(line: $0, to: width) }
  }

  // JIS X 4051: what no line begins with, and what no line ends with.
  private static let closing = Set("。、，．」』）】〕］｝)]}.,:;!?！？：；ー・々…〜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ")
  private static let opening = Set("「『（【〔［｛([{")

  private static func wrapped(line: Substring, to width: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    for part in Self.parts(line).flatMap({ Self.pieces($0, width: width) }) {
      let isTooLong = Self.width(current) + Self.width(part == " " ? "" : part) > width
      if isTooLong, !current.isEmpty {
        lines.append(current.last == " " ? String(current.dropLast()) : current)
        current = part == " " ? "" : part
      } else {
        current += part
      }
    }
    return lines + [current]
  }

  /// A part that is wider than a line, in pieces that fit.
  private static func pieces(_ part: String, width: Int) -> [String] {
    guard Self.width(part) > width else { return [part] }
    return part.reduce(into: [""]) { pieces, character in
      if Self.width(pieces[pieces.count - 1]) + Self.width(String(character)) > width { pieces.append("") }
      pieces[pieces.count - 1].append(character)
    }
  }

  /// What stays together: a word, a space, a wide character with the stops behind it.
  private static func parts(_ line: Substring) -> [String] {
    var parts: [String] = []
    var isWord = false
    for character in line {
      let isWide = Self.width(String(character)) > 1
      if Self.closing.contains(character), let last = parts.last, last != " " {
        parts[parts.count - 1].append(character)
        isWord = isWord && !isWide
      } else if let last = parts.last?.last, Self.opening.contains(last), character != " " {
        parts[parts.count - 1].append(character)
        isWord = !isWide
      } else if character == " " || isWide || !isWord || parts.isEmpty {
        parts.append(String(character))
        isWord = character != " " && !isWide
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
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
