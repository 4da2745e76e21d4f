import Help
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("Text for people")
struct TextTests {
  @Test(
    "The time of the next attempt is never past",
    arguments: [(-7200, "in a moment"), (59, "in a moment"), (120, "in 2 minutes")])
  func next(seconds: Int64, words: String) {
    var time = CommandRun.now
    time.seconds += seconds
    #expect(Language.english.next(time, now: CommandRun.now) == words)
    #expect(Language.japanese.next(time, now: CommandRun.now) == (words == "in a moment" ? "まもなく" : "2分後"))
  }

  @Test(
    "The end of the line of a secret from standard input is not part of it", arguments: ["pw", "pw\n", "pw\r\n"])
  func secretFromStandardInput(sent: String) throws {
    let console = Console(
      isTerminal: false, usesColour: false, out: { _ in }, err: { _ in }, input: { Array(sent.utf8) })
    #expect(try console.askSecret("Password: ", file: "-", .english) == "pw")
  }

  @Test(
    "Times are relative",
    arguments: [
      (0, "just now"), (59, "just now"), (60, "1 minute ago"), (7199, "1 hour ago"), (86_400 * 2, "2 days ago"),
      (86_400 * 40, "1 month ago"), (86_400 * 800, "2 years ago"), (-120, "in 2 minutes"), (-30, "just now"),
    ] as [(Int64, String)])
  func relative(seconds: Int64, words: String) {
    let then = Google_Protobuf_Timestamp(seconds: CommandRun.now.seconds - seconds)
    #expect(Language.english.relative(then, now: CommandRun.now) == words)
  }

  @Test("A time that is not set is never")
  func never() { #expect(Language.english.relative(Google_Protobuf_Timestamp(), now: CommandRun.now) == "never") }

  @Test("Numbers are grouped and counted", arguments: [(0, "0 cards"), (1, "1 card"), (1234567, "1,234,567 cards")])
  func counts(number: Int, text: String) { #expect(Count.of(number, "card") == text) }

  @Test(
    "Sizes have one decimal",
    arguments: [
      (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_999, "999.9 kB"), (1_000_000, "1.0 MB"),
      (3_200_000_000, "3.2 GB"),
    ] as [(UInt64, String)])
  func bytes(count: UInt64, text: String) { #expect(Count.bytes(count) == text) }

  @Test("Text has the width of a terminal", arguments: [("abc", 3), ("山田", 4), ("e\u{301}", 1), ("🤩", 2), ("", 0)])
  func width(text: String, columns: Int) { #expect(Printable.width(text) == columns) }

  @Test(
    "A progress bar stays between 0% and 100%",
    arguments: [(-1, "  0%"), (0, "  0%"), (0.999, " 99%"), (1, "100%"), (7, "100%")])
  func bar(fraction: Double, percent: String) {
    let line = ProgressBar(label: "x", style: Style(isOn: false)).line(fraction: fraction)
    #expect(line.hasSuffix(percent))
    #expect(Printable.width(line) == 1 + 1 + 24 + 1 + 4)
  }
}

@Suite("Longer text")
struct LongerTextTests {
  @Test(
    "Text is broken between words, and within words that are too long",
    arguments: [
      ("", [""]), ("a b c", ["a b c"]), ("aaa bbb ccc", ["aaa bbb", "ccc"]), ("abcdefghij", ["abcdefgh", "ij"]),
      ("one\ntwo\r\n\nthree\n", ["one", "two", "", "three"]), ("山田太郎さん", ["山田太郎", "さん"]),
    ] as [(String, [String])])
  func wrapped(text: String, lines: [String]) {
    #expect(Printable.wrapped(text, to: 8) == (text.isEmpty ? [] : lines))
  }

  @Test(
    "The code of a link takes no columns where a line is broken, and stays whole",
    arguments: ["tel:+81312345678", "mailto:ann@example.org"])
  func links(address: String) {
    let (begin, end) = ("\u{1B}]8;;\(address)\u{1B}\\", "\u{1B}]8;;\u{1B}\\")
    let lines = Columns.wrapped("call \(begin)Ann Lee\(end) now then", to: 10)
    #expect(lines.map(Columns.width) == [8, 7, 4])
    #expect(lines == ["call \(begin)Ann", "Lee\(end) now", "then"])
  }

  @Test(
    "Text is cut by columns",
    arguments: [
      ("short", "short"), ("12345678", "12345678"), ("123456789", "1234567…"), ("山田太郎さん", "山田太…"), ("a\nb", "a b"),
    ])
  func shortened(text: String, shown: String) { #expect(Printable.shortened(text, to: 8) == shown) }

  @Test(
    "Numbers have one decimal at most",
    arguments: [(0, "0"), (2.5, "2.5"), (2.04, "2"), (1999.96, "2,000"), (.nan, "0")] as [(Float, String)])
  func decimal(number: Float, text: String) { #expect(Count.decimal(number) == text) }

  @Test(
    "Media types come from the names of files",
    arguments: [
      ("a.JPG", "image/jpeg"), ("/x.y/note.m4a", "audio/mp4"), ("jpg", "application/octet-stream"),
      (".png", "application/octet-stream"), ("a.b.webp", "image/webp"),
    ])
  func media(path: String, type: String) { #expect(MediaType.of(path: path) == type) }
}
