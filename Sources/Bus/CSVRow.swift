/// A row of comma-separated values (RFC 4180), as programs and spreadsheets read it.
public enum CSVRow {
  /// Begins a file: by it spreadsheets know UTF-8.
  public static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Writes a row, every cell quoted.
  ///
  /// A cell that a spreadsheet would take for a formula gets an apostrophe before it: what is exported is other people's
  /// text. Phone numbers, and several of them with their labels, stay as they are.
  public static func bytes(_ cells: [String]) -> [UInt8] {
    var row: [UInt8] = []
    for cell in cells {
      if !row.isEmpty { row.append(UInt8(ascii: ",")) }
      row.append(Self.quote)
      let isFormula = cell.unicodeScalars.first.map(Self.beginners.contains) ?? false && !Self.isHarmless(cell)
      if isFormula { row.append(UInt8(ascii: "'")) }
      // By bytes: a quote with a combining mark after it is another Character, and still ends a cell.
      for byte in cell.utf8 {
        if byte == Self.quote { row.append(byte) }
        row.append(byte)
      }
      row.append(Self.quote)
    }
    return row + "\r\n".utf8
  }

  private static let quote = UInt8(ascii: "\"")

  /// What formulas begin with, also in full width as some spreadsheets take it (OWASP, "CSV Injection").
  private static let beginners = Set("=+-@\t\r\n＝＋－＠".unicodeScalars)

  /// Whether a cell begins as a phone number, and has nothing by which a formula calls a function, starts a program or reaches
  /// out of its sheet: further numbers with their labels may follow.
  private static func isHarmless(_ text: String) -> Bool {
    let scalars = Array(text.unicodeScalars)
    let start = scalars.dropFirst().first { $0 != " " && $0 != "(" }
    guard scalars.first == "+", let start, ("0"..."9").contains(start) else { return false }
    // The word that ends here, and over the blanks after it: a function's name before its parenthesis.
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
