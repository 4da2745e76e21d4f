import QR
import Testing

/// The parts that a reader depends on; `test_devices.py` compares whole codes with those of another program.
struct QRCodeTests {
  @Test(
    "the smallest version that holds the text is taken", arguments: [(1, 21), (17, 21), (18, 25), (32, 25), (134, 41)])
  func versions(length: Int, size: Int) throws {
    let code = try #require(QRCode(String(repeating: "a", count: length)))
    #expect(code.modules.count == size && code.modules.allSatisfy { $0.count == size })
  }

  @Test("a longer text has no code") func tooLong() { #expect(QRCode(String(repeating: "a", count: 135)) == nil) }

  @Test("three corners have a finder pattern, the fourth has none")
  func finders() throws {
    let modules = try #require(QRCode("https://kith.home.arpa/pair#12345678")).modules
    let last = modules.count - 7
    let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    func square(_ row: Int, _ column: Int) -> [String] {
      (row..<row + 7).map { row in modules[row][column..<column + 7].map { $0 ? "1" : "0" }.joined() }
    }
    #expect(square(0, 0) == finder && square(0, last) == finder && square(last, 0) == finder)
    #expect(square(last, last) != finder)
  }

  @Test("with colour it is black on white, whatever the terminal's colours are")
  func colour() throws {
    let lines = try #require(QRCode("a")).lines(isColoured: true)
    #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[97;40m") && $0.hasSuffix("\u{1B}[0m") })
  }
}
