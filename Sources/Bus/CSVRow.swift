/// A row of comma-separated values (RFC 4180), as programs and spreadsheets read it.
public enum CSVRow {
  /// Begins a file: by it spreadsheets know UTF-8.
  public static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Writes a row, every cell quoted.
  ///
  /// A cell that a spreadsheet would take for a formula gets an apostrophe before it: what is exported is other people's
  /// text. Phone numbers stay as they are.
  public static func bytes(_ cells: [String]) -> [UInt8] {
    var row: [UInt8] = []
    for cell in cells {
      if !row.isEmpty { row.append(UInt8(ascii: ",")) }
      row.append(Self.quote)
      let isFormula = cell.unicodeScalars.first.map(Self.beginners.contains) ?? false && !Self.isPhoneNumber(cell)
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

  private static func isPhoneNumber(_ text: String) -> Bool {
    text.hasPrefix("+") && text.dropFirst().allSatisfy { $0.isNumber || " -().\n+".contains($0) }
  }
}
