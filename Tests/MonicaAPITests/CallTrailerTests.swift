import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaAPI

struct CallTrailerTests {
  private static func trailer(
    minutes: UInt32 = 0, emotion: String = "", tags: [String] = [], attachments: Int = 0, clock: String? = nil,
    theyCalled: Bool = false
  ) -> CallTrailer {
    var trailer = CallTrailer()
    trailer.minutes = minutes
    trailer.emotion = emotion
    trailer.tags = tags
    trailer.attachments = attachments
    trailer.clock = clock
    trailer.theyCalled = theyCalled
    return trailer
  }

  @Test func readsLikeASentence() {
    let trailer = Self.trailer(minutes: 25, emotion: "happy", tags: ["family", "health"], attachments: 2)
    #expect(
      trailer.content(note: "Moved house.") == "Moved house.\n\n— 25 min · happy 😊 · #family #health · 2 attachments")
    #expect(trailer.content(note: "") == "— 25 min · happy 😊 · #family #health · 2 attachments")
    #expect(CallTrailer().content(note: "Moved house.") == "Moved house.")
    #expect(CallTrailer().content(note: "") == "")
    #expect(Self.trailer(clock: "09:41:00", theyCalled: true).line == "— 09:41 UTC · they called")
    #expect(Self.trailer(clock: "09:41:07").line == "— 09:41:07 UTC")
  }

  @Test(
    "is read as people change it",
    arguments: [
      ("— 25 min", Self.trailer(minutes: 25)), ("—  25min  ", Self.trailer(minutes: 25)),
      ("— 1 h 5 min", Self.trailer(minutes: 65)), ("— 2 hours", Self.trailer(minutes: 120)),
      ("— 25 Minutes · SAD", Self.trailer(minutes: 25, emotion: "sad")), ("— 🤩", Self.trailer(emotion: "excited")),
      ("— sad 😊", Self.trailer(emotion: "sad")), ("—\u{A0}#a·25 min", Self.trailer(minutes: 25, tags: ["a"])),
      ("— #two%20words #50%25", Self.trailer(tags: ["two words", "50%"])), ("— #50%", Self.trailer(tags: ["50%"])),
      ("— 1 attachment · they called", Self.trailer(attachments: 1, theyCalled: true)), ("— no details", CallTrailer()),
      ("  — 9:41 min", nil), ("— 09:41 UTC", Self.trailer(clock: "09:41:00")), ("— 24:00 UTC", nil),
      ("— 25 min late", nil), ("— happy birthday", nil), ("— John", nil), ("- 25 min", nil), ("—25 min", nil),
      ("— 25 min · ", nil), ("— 25 min · 30 min", nil), ("— 25 min, happy", nil), ("—", nil), ("— ", nil),
      ("— # · 5 min", nil), ("— ２５ min", nil), ("— ٣ h", nil), ("— #a ##b", nil), ("— #a b", nil),
      ("— 99999999999 min", nil), ("— 4294967296 min", nil),
      ("— 4294967295 min", Self.trailer(minutes: .max)), ("— minutes", nil), ("— h", nil), ("— -5 min", nil),
    ] as [(String, CallTrailer?)])
  func tolerance(_ line: String, _ expected: CallTrailer?) {
    #expect(CallTrailer.split(line).trailer == expected)
  }

  @Test func textAroundItIsTheNote() {
    let moved = CallTrailer.split("Before\r\n\r\n— 25 min\r\nAfter, added on the web\r\n")
    #expect(moved.note == "Before\n\nAfter, added on the web")
    #expect(moved.trailer == Self.trailer(minutes: 25))
    #expect(CallTrailer.split("— 25 min\n\nAfter").note == "After")
    let removed = CallTrailer.split("Only the note")
    #expect(removed.note == "Only the note")
    #expect(removed.trailer == nil)
  }

  @Test func theLastOneCounts() {
    let (note, trailer) = CallTrailer.split("He said:\n— 25 min\n\n— 5 min")
    #expect(note == "He said:\n— 25 min")
    #expect(trailer == Self.trailer(minutes: 5))
  }

  @Test func ownLinesAreNotMistaken() {
    for note in ["— 25 min", "We spoke\n— happy\nthen stopped", "— no details", "x\r\n— #a\r\n"] {
      let (read, trailer) = CallTrailer.split(CallTrailer().content(note: note))
      #expect(read == ServerText.clean(note))
      #expect(trailer == CallTrailer())
    }
  }

  /// Pieces of notes: ordinary ones, and everything that looks like a trailer.
  private static let pieces = [
    "—", "— ", "25", " min", "min", " · ", "·", "happy", "😊", "sad", "#", "#a", "%20", "%", "\n", "\r\n", "\r", " ",
    "\u{A0}",
    "no details", "UTC", "09:41", "they called", "2 attachments", "Grüße", "e\u{301}", "\u{301}", "日本", "👨‍👩‍👧", "\u{FEFF}",
    "\u{200B}",
    "\t", "x", "-", "–",
  ]

  private static func text(_ random: inout SeededGenerator, _ count: ClosedRange<Int>) -> String {
    (0..<Int.random(in: count, using: &random)).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func whatWasWrittenIsRead(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var trailer = CallTrailer()
      if Bool.random(using: &random) { trailer.minutes = UInt32.random(in: 0...5000, using: &random) }
      if Bool.random(using: &random) { trailer.emotion = CallTrailer.emotions.randomElement(using: &random)?.0 ?? "" }
      trailer.tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.text(&random, 1...3) }
      trailer.attachments = Int.random(in: 0...2, using: &random)
      if Bool.random(using: &random) {
        trailer.clock = ServerTime.clock(.init(seconds: Int64.random(in: 0..<86_400, using: &random)))
        trailer.theyCalled = Bool.random(using: &random)
      }
      let note = Self.text(&random, 0...12)
      let content = trailer.content(note: note)
      // The server trims, and a browser sends other line ends.
      for sent in [content, ServerText.clean(content), content.replacing("\n", with: "\r\n")] {
        let (read, found) = CallTrailer.split(sent)
        #expect(read == ServerText.clean(note), "\(content.debugDescription)")
        #expect(found ?? CallTrailer() == trailer, "\(content.debugDescription)")
      }
      // Parsing the result again changes nothing.
      let again = CallTrailer.split(
        (CallTrailer.split(content).trailer ?? CallTrailer()).content(note: ServerText.clean(note)))
      #expect(again.note == ServerText.clean(note))
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func editsOnTheWebLoseNoText(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let trailer = Self.trailer(minutes: 25, tags: ["a"])
      let content = trailer.content(note: "The note of \(seed)")
      let (added, before) = ("added \(Int.random(in: 0...99, using: &random))", Bool.random(using: &random))
      let edited = before ? "\(added)\n\(content)" : "\(content)\n\(added)"
      let (note, found) = CallTrailer.split(edited)
      #expect(found == trailer)
      #expect(note.contains(added) && note.contains("The note of \(seed)") && !note.contains("—"))
    }
  }
}
