internal import Bus
internal import Glibc

/// The columns that text takes on a terminal.
package enum Columns {
  /// Those of the terminal on standard output; 80 without one.
  package static var ofTerminal: Int {
    if let columns = Self.of(terminal: STDOUT_FILENO) { return columns }
    return RuntimeLocations.variable("COLUMNS").flatMap { Int($0) } ?? 80
  }

  /// Those of the terminal that a descriptor is; nil if it is none.
  package static func of(terminal descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Two for each wide East Asian character, none for combining marks and for the codes of colours and links.
  package static func width(_ text: String) -> Int {
    guard text.utf8.contains(Self.escape) else { return text.unicodeScalars.reduce(0) { $0 + Self.width($1) } }
    return text.replacing(/\u{1B}(?:\[[0-9;]*m|\]8;;[^\u{1B}]*\u{1B}\\)/, with: "").unicodeScalars
      .reduce(0) { $0 + Self.width($1) }
  }

  /// A line in lines of at most so many columns that begin where its text begins. A word that is wider stays whole, such as an address.
  package static func folded(_ line: String, to width: Int) -> [String] {
    line.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
      let indent = String(line.prefix { $0 == " " })
      guard Self.width(String(line)) > width, indent.count < width / 2 else { return [String(line)] }
      return Self.withCommand(line.dropFirst(indent.count), width: width - indent.count).map { indent + $0 }
    }
  }

  /// A command at the end stays on one line, so that it can be copied: `To see all: kith call list`.
  private static func withCommand(_ line: Substring, width: Int) -> [String] {
    guard let mark = line.ranges(of: ": kith ").last else { return Self.wrapped(String(line), to: width) }
    let command = String(line[mark.lowerBound...].dropFirst(2))
    guard Self.width(command) <= width else { return Self.wrapped(String(line), to: width) }
    var lines = Self.wrapped(String(line[..<mark.lowerBound]) + ":", to: width)
    let last = lines.removeLast()
    return lines + (Self.width(last) + 1 + Self.width(command) <= width ? ["\(last) \(command)"] : [last, command])
  }

  private static let escape = UInt8(ascii: "\u{1B}")

  /// Lines of at most so many columns. Japanese breaks between any two characters, but not before a stop or a closing
  /// bracket, and not behind an opening one.
  ///
  /// - Parameter breaksWords: Whether a word that is wider than a line is broken.
  package static func wrapped(_ text: String, to width: Int, breaksWords: Bool = false) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      let parts = Self.parts(line)
      return Self.lines(breaksWords ? parts.flatMap { Self.pieces($0, width: width) } : parts, width: width)
    }
  }

  // JIS X 4051: what no line begins with, and what no line ends with.
  private static let closing = Set("。、，．」』）】〕］｝)]}.,:;!?！？：；ー・々…〜ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ")
  private static let opening = Set("「『（【〔［｛([{")

  private static func lines(_ parts: [String], width: Int) -> [String] {
    var lines: [String] = []
    var current = ""
    for part in parts {
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
    var code = ""
    for character in line {
      if !code.isEmpty || character == "\u{1B}" {
        // The code of a colour, up to its letter, or of a link, up to ESC \, stays with what is before it.
        code.append(character)
        if parts.isEmpty { parts.append("") }
        parts[parts.count - 1].append(character)
        if code.hasPrefix("\u{1B}]") ? code.hasSuffix("\u{1B}\\") : character == "m" { code = "" }
        continue
      }
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
