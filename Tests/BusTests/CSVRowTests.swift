import Bus
import Testing

@Suite struct CSVRowTests {
  private func text(_ cells: [String]) -> String { String(decoding: CSVRow.bytes(cells), as: UTF8.self) }

  @Test("cells are quoted, quotes doubled, and a row ends as RFC 4180 says")
  func quoting() {
    #expect(
      self.text(["a", "", "say \"hi\"", "two\nlines, one cell"])
        == "\"a\",\"\",\"say \"\"hi\"\"\",\"two\nlines, one cell\"\r\n")
  }

  @Test("a quote under a combining mark is doubled too")
  func combinedQuote() {
    #expect(CSVRow.bytes(["a\"\u{301}b", "c"]) == Array("\"a\"\"\u{301}b\",\"c\"\r\n".utf8))
  }

  @Test(
    "what a spreadsheet would run is text",
    arguments: [
      "=1+1", "+cmd", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "=\u{301}1", "+1+cmd|' /C calc'!A0",
      "+1\n+cmd|' /C calc'!A0: 2", "+1+HYPERLINK(A1)", "+1+Sum (A1)", "+1+BIN2DEC(1)", "+A1", "+1+[b]c!A1", "+1&A1",
    ])
  func formulas(_ cell: String) { #expect(self.text([cell]).hasPrefix("\"'")) }

  @Test(
    "phone numbers and plain text stay",
    arguments: [
      "+49 30 (123) 45-6", "+49/30/12-3", "+49 30\nwork: +49 (0)30 1", "+1-2;ext=5", "+1 2,,3#", "(+49) 30", "+(49) 30",
      "Ann", "1=2", "", "佐藤",
    ])
  func plain(_ cell: String) { #expect(self.text([cell]) == "\"\(cell)\"\r\n") }
}
