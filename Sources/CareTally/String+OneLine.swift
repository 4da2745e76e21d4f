internal import Foundation

extension String {
  /// The text on one line: composed (NFC), without control and format characters, with single blanks.
  public var onOneLine: String {
    // ASCII is always composed.
    let isASCII = self.utf8.allSatisfy { $0 < 0x80 }
    var line = String.UnicodeScalarView()
    var owesBlank = false
    for scalar in (isASCII ? self : self.precomposedStringWithCanonicalMapping).unicodeScalars {
      if scalar.isBlank {
        owesBlank = !line.isEmpty
      } else if scalar.isVisible {
        if owesBlank { line.append(" ") }
        owesBlank = false
        line.append(scalar)
      }
    }
    return String(line)
  }
}

extension String {
  /// The text on one line, as a name in a sentence. One that is written from right to left stands between two marks (U+200E), or the numbers
  /// behind it would stand before it: "500 aspirin mg".
  var asName: String {
    let line = self.onOneLine
    return line.unicodeScalars.contains(where: \.isRightToLeft) ? "\u{200E}\(line)\u{200E}" : line
  }
}

extension Unicode.Scalar {
  /// Whether it belongs to a script such as Hebrew or Arabic.
  fileprivate var isRightToLeft: Bool {
    switch self.value {
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
    default: false
    }
  }

  fileprivate var isBlank: Bool {
    guard !(0x21...0x7E).contains(self.value) else { return false }
    return switch self.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    case .control: self.properties.isWhitespace
    default: false
    }
  }

  fileprivate var isVisible: Bool {
    guard !(0x21...0x7E).contains(self.value) else { return true }
    return switch self.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned: false
    default: true
    }
  }
}
