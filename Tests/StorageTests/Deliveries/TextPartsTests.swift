import KithMessages
import TestKit
import Testing

@testable import Storage

@Suite struct TextPartsTests {
  @Test func `a text that fits stays as it is`() {
    #expect(TextParts("a\nb\n", ChannelCapacity(.bytes, 4)).texts == ["a\nb\n"])
    #expect(TextParts("", ChannelCapacity(.bytes, 4)).texts == [""])
  }

  @Test func `it is divided at the ends of lines`() {
    #expect(
      TextParts("first line\nsecond\nthird\n", ChannelCapacity(.bytes, 20)).texts
        == ["first line\n(1/2)", "second\nthird\n(2/2)"])
    #expect(
      TextParts("0123456789abcdef", ChannelCapacity(.bytes, 15)).texts == [
        "0123456\n(1/3)", "789abcd\n(2/3)", "ef\n(3/3)",
      ])
  }

  /// For random texts: no part is too long, nothing is left out, and lines are whole where possible.
  @Test(arguments: 0..<300) func `nothing is lost`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let letters = Array("aé佐👨‍👩‍👧‍👦 🇯🇵\n\n")
    let text = String(
      (0..<Int.random(in: 0...400, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
    let unit = Bool.random(using: &random) ? ChannelCapacity.Unit.bytes : .utf16
    let capacity = ChannelCapacity(unit, Int.random(in: 40...120, using: &random))
    let parts = TextParts(text, capacity).texts
    guard parts.count > 1 else {
      #expect(parts == [text])
      return
    }
    var said = ""
    for (index, part) in parts.enumerated() {
      #expect(capacity.count(part) <= capacity.size)
      let mark = "\n(\(index + 1)/\(parts.count))"
      #expect(part.hasSuffix(mark))
      said += part.dropLast(mark.count)
    }
    // A line feed at the end of a part is replaced by that of its number.
    #expect(said.filter { $0 != "\n" } == text.filter { $0 != "\n" })
  }

  @Test func `a character larger than a part is taken apart where a part is full`() {
    let letter = "e" + String(repeating: "\u{301}", count: 6000)
    let parts = TextParts(letter, ChannelCapacity(.bytes, 1000)).texts
    #expect(parts.count == 13)
    #expect(parts.dropLast().allSatisfy { (991...1000).contains($0.utf8.count) })
    let said = parts.flatMap { part in part.unicodeScalars.prefix { $0 != "\n" } }
    #expect(said == Array(letter.unicodeScalars))
  }

  @Test func `the first text of LINE has room for a title`() {
    let title = String(repeating: "長い題", count: 1000)
    let message = OutgoingMessage(kind: "person_reminder", title: title, text: "", date: "", expiresAt: 0)
    #expect(message.title.utf16.count == 400 && message.title.hasSuffix("…"))
    var channel = Channel()
    channel.line.to = "U"
    let texts = TextParts(String(repeating: "x", count: 20_000), ChannelCapacity(channel)).texts
    #expect((4990...5000).contains("\(message.title)\n\(texts[0])".utf16.count))
  }
}
