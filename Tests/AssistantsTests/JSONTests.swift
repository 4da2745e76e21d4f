import Testing

@testable import Assistants

@Suite("JSON of messages") struct JSONTests {
  @Test(arguments: [
    "null", "true", "0", "-1.5e+10", "\"\"", "[]", "{}", "[1,[2,{\"a\":null}]]", "{\"b\":1,\"a\":\"é😀\"}",
    "123456789012345678901234567890",
  ]) func whatIsReadIsWrittenAgain(_ text: String) throws {
    #expect(try JSON(bytes: Array(text.utf8)).line == text)
  }

  @Test func blanksAndEscapesAreRead() throws {
    let text = " { \"a\" : [ 1 , \"\\u00e9\\ud83d\\ude00\\n\\/\" ] } \r\n"
    #expect(try JSON(bytes: Array(text.utf8)).line == #"{"a":[1,"é😀\n/"]}"#)
  }

  @Test func aLineHasNoBreaks() {
    let line = JSON.text("a\nb\r\u{2028}\u{2029}\u{0}\u{7F}\"\\").line
    #expect(line == #""a\nb\u000d\u2028\u2029\u0000\u007f\"\\""#)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{\"a\"}", "01", "+1", "1.", ".5", "1e", "--1", "tru", "nul",
    "'a'",
    "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\u+123\"", "\"\\ud800\"", "\"\\udc00\"", "\"a\tb\"", "1 2", "{}{}", "NaN",
    "Infinity",
    "{\"a\":1,\"a\":2}", "\u{FEFF}{}", "// a\n1",
  ]) func whatIsNoJSONIsRefused(_ text: String) {
    #expect(throws: JSON.SyntaxError.self) { try JSON(bytes: Array(text.utf8)) }
  }

  @Test func bytesThatAreNoTextAreRefused() {
    let quote = UInt8(ascii: "\"")
    for bytes: [UInt8] in [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0xE2, 0x82]] {
      #expect(throws: JSON.SyntaxError.self) { try JSON(bytes: [quote] + bytes + [quote]) }
    }
  }

  @Test func nestingHasABound() throws {
    func nested(_ levels: Int) -> [UInt8] {
      Array((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
    }
    _ = try JSON(bytes: nested(JSONReader.deepest + 1))
    #expect(throws: JSON.SyntaxError.self) { try JSON(bytes: nested(JSONReader.deepest + 2)) }
    #expect(throws: JSON.SyntaxError.self) { try JSON(bytes: nested(100_000)) }
  }
}

@Suite("Messages, one a line") struct MessageLinesTests {
  private static let most = AssistantServer.largestMessage

  @Test(arguments: [1, 2, 7, 1000]) func linesComeWholeHoweverTheBytesCome(_ size: Int) {
    let text = Array("one\n\n  \r\ntwo\r\nthree".utf8)
    var lines = MessageLines()
    var found: [MessageLines.Line] = []
    for start in stride(from: 0, to: text.count, by: size) {
      found += lines.take(Array(text[start..<min(start + size, text.count)]))
    }
    #expect(found == [.message(Array("one".utf8)), .message(Array("two\r".utf8))])
    #expect(lines.end() == .message(Array("three".utf8)))
    #expect(lines.end() == nil)
  }

  @Test func aLineThatIsTooLongIsNotKept() {
    var lines = MessageLines()
    let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 16)
    for _ in 0..<40 { #expect(lines.take(piece).isEmpty) }
    #expect(lines.take(Array("\nnext\n".utf8)) == [.tooLong, .message(Array("next".utf8))])
    let whole = [UInt8](repeating: UInt8(ascii: "a"), count: Self.most)
    #expect(lines.take(whole + [UInt8(ascii: "\n")]) == [.message(whole)])
  }
}
