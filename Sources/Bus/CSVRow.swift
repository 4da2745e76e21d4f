/// Writes rows of comma-separated values (RFC 4180) for programs and spreadsheets.
///
/// ```swift
/// var file = CSVRow.byteOrderMark
/// file += CSVRow.bytes(["name", "phone"])
/// file += CSVRow.bytes(["Aiko", "+81 90 1234 5678"])
/// ```
public enum CSVRow {
  /// The first bytes of a file; they tell spreadsheets that it is UTF-8.
  public static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Writes a row, every cell quoted.
  ///
  /// A cell that a spreadsheet would run as a formula gets an apostrophe before it, because exported text was written by
  /// other people. Phone numbers, also several with labels, stay as they are.
  public static func bytes(_ cells: [String]) -> [UInt8] {
    var row: [UInt8] = []
    for cell in cells {
      if !row.isEmpty { row.append(UInt8(ascii: ",")) }
      row.append(Self.quote)
      let isFormula = cell.unicodeScalars.first.map(Self.beginners.contains) ?? false && !Self.isHarmless(cell)
      if isFormula { row.append(UInt8(ascii: "'")) }
      // Compares bytes: a quote followed by a combining mark is another Character, but still ends a cell.
      for byte in cell.utf8 {
        if byte == Self.quote { row.append(byte) }
        row.append(byte)
      }
      row.append(Self.quote)
    }
    return row + "\r\n".utf8
  }

  private static let quote = UInt8(ascii: "\"")

  /// The characters that formulas begin with, also in full width (OWASP, "CSV Injection").
  private static let beginners = Set("=+-@\t\r\n＝＋－＠".unicodeScalars)

  /// Whether a cell begins as a phone number and contains nothing with which a formula calls a function, starts a program
  /// or refers to another sheet. More numbers with labels may follow.
  private static func isHarmless(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    let start = scalars.dropFirst().first { $0 != " " && $0 != "(" }
    guard scalars.first == "+", let start, ("0"..."9").contains(start) else { return false }
    // Whether a word ends here or before the blanks here: before a parenthesis it would be a function's name.
    var word = false
    var isInWord = false
    for scalar in scalars {
      let isPart = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "." || scalar == "_"
      switch scalar {
      case "(" where word: return false
      case "(", ")", "+", "-", "/", ",", ";", ":", "=", "#", "*", "\n", " ": break
      case _ where isPart: break
      default: return false
      }
      if isPart {
        word = isInWord ? word || scalar.properties.isAlphabetic : scalar.properties.isAlphabetic
      } else if scalar != " " {
        word = false
      }
      isInWord = isPart
    }
    return true
  }
}
