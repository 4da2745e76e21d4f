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

extension Unicode.Scalar {
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
