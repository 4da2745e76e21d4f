import CivilTime
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Spoken

/// Sentences that people say to the house, and what they mean: `Tests/vectors/spoken`.
@Suite struct GoldenSentenceTests {
  /// A line of the file.
  struct Line: Sendable {
    let text: String
    let now: Int64
    let meaning: String

    var isNothing: Bool { self.meaning == "nothing" }
  }

  private static let zone = Zone(named: "Asia/Tokyo")
  private static let today = Day("2026-11-25")

  static func lines(_ language: CareLanguage) throws -> [Line] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "vectors/spoken/\(language.rawValue).tsv")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      line in
      let parts = line.split(separator: "\t").map(String.init)
      return try Self.line(parts)
    }
  }

  private static func line(_ parts: [String]) throws -> Line {
    let (zone, today, time) = (try #require(self.zone), try #require(self.today), try #require(TimeOfDay(parts[0])))
    let moment = try #require(zone.instant(of: today, at: time))
    return Line(text: parts[1], now: moment / 1_000_000_000, meaning: parts[2].trimmed)
  }

  static func understand(_ text: String, _ now: Int64, _ language: CareLanguage) throws -> Intention {
    let recipient = language == .japanese ? "佐藤 良子" : "Yoshiko Sato"
    return Listener(now: now, zone: try #require(self.zone), recipient: recipient).understand(text, language)
  }

  /// As the files have it.
  private static func written(_ intention: Intention, _ now: Int64) throws -> String {
    switch intention {
    case .record(let category, let memo, let at):
      let local = try #require(self.zone).local(at: (at ?? now) * 1_000_000_000)
      let day = local.day == self.today ? "" : "\(local.day) "
      return "record \(category.rawValue) \(day)\(local.time) | \(memo)".trimmed
    case .askLast(let category): return "ask-last \(category.rawValue)"
    case .askDay(let day, let category): return "ask-day \(day) \(category?.rawValue ?? "")".trimmed
    case .remindToCall(let name, let day, let time):
      return "remind-call \(name.lowercased()) \(day) \(time?.description ?? "")".trimmed
    case .remindDaily(let time): return "daily \(time)"
    case .switchDaily(let isOn): return "daily \(isOn ? "on" : "off")"
    case .undo, .undoAnswer: return "undo"
    case .unclear: return "nothing"
    }
  }

  @Test(arguments: CareLanguage.allCases)
  func `what is understood is right, and nearly all is understood`(language: CareLanguage) throws {
    let lines = try Self.lines(language)
    #expect(lines.count >= 150)
    var missed: [String] = []
    for line in lines {
      let understood = try Self.written(Self.understand(line.text, line.now, language), line.now)
      // To ask back is no harm; to store something else is.
      if understood == "nothing", !line.isNothing {
        missed.append(line.text)
      } else {
        #expect(understood == line.meaning, "\(line.text)")
      }
    }
    #expect(missed.count * 25 <= lines.count { !$0.isNothing }, "\(missed)")
  }

  /// Words that take away what a sentence says, in front of it or behind it.
  private static let spoilers: [CareLanguage: (before: [String], after: [String])] = [
    .english: (
      ["if ", "maybe ", "I think ", "he said ", "did you hear that ", "my neighbour and ", "I don't know whether "],
      [
        " or not", "?", " maybe", " I think", " never", " and", " tomorrow", " instead of me", " for the dog", " left",
        ", right",
        ", sorry, three tablets", " but I dropped it", " cancelled", " and I took mine",
      ]
    ),
    .japanese: (
      ["もし", "たぶん", "隣の人と", "明日", "犬と"],
      ["か", "らしい", "かもしれない", "って", "と思う", "はずです", "つもり", "?", "けど", "、違う", "、キャンセル", "、落とした", "、犬に"]
    ),
  ]

  @Test(arguments: CareLanguage.allCases)
  func `a sentence with a doubt in it stores nothing`(language: CareLanguage) throws {
    let (spoilers, share) = (try #require(Self.spoilers[language]), testSize(short: 3, full: 1))
    let lines = try Self.lines(language).filter { $0.meaning.hasPrefix("record") && !$0.meaning.contains("free_memo") }
    for (number, line) in lines.enumerated() {
      let plain = line.text.trimmingCharacters(in: CharacterSet(charactersIn: ".。 "))
      let doubted = spoilers.before.map { $0 + plain } + spoilers.after.map { plain + $0 }
      for (index, text) in doubted.enumerated() where (index + number).isMultiple(of: share) {
        let understood = try Self.understand(text, line.now, language)
        if case .record = understood { Issue.record("\(text): \(understood)") }
      }
    }
  }

  /// Amounts, medicines and commands, from which sentences are made.
  private static let amounts: [CareLanguage: (amounts: [String], medicines: [String], commands: [(String, String)])] = [
    .english: (
      [
        "two tablets of", "50 units of", "half a dose of", "1.5 ml of", "twenty five milligrams of",
        "two tablets of her",
      ],
      ["aspirin", "insulin", "medicine", "cough syrup"],
      [("log ", ""), ("please note down ", " at eight"), ("log medication ", ""), ("I gave her ", "")]
    ),
    .japanese: (
      ["2錠の", "6単位の", "半錠の", "1.5mlの"], ["薬", "インスリン", "痛み止め"],
      [("", "を記録して"), ("8時に", "を記録して"), ("服薬を記録して、", ""), ("母が", "を飲みました")]
    ),
  ]

  @Test(arguments: CareLanguage.allCases)
  func `an amount that was said is kept`(language: CareLanguage) throws {
    let said = try #require(Self.amounts[language])
    for amount in said.amounts {
      for medicine in said.medicines {
        for (before, after) in said.commands {
          let dose = language == .japanese ? amount + medicine : "\(amount) \(medicine)"
          let text = before + dose + after
          let understood = try Self.understand(text, 1_795_586_400, language)
          guard case .record(.medication, let memo, _) = understood else {
            Issue.record("\(text): \(understood)")
            continue
          }
          #expect(memo.contains(dose), "\(text)")
        }
      }
    }
  }

  @Test(arguments: CareLanguage.allCases)
  func `what is told of two people is not stored`(language: CareLanguage) throws {
    let others =
      language == .japanese
      ? [("母が", "彼が"), ("お母さんが", "犬が"), ("母に", "魚に")]
      : [("she ", "dad "), ("She ", "He "), ("gave her ", "gave my neighbour "), ("I gave her ", "I was given her ")]
    var count = 0
    for line in try Self.lines(language) where line.meaning.hasPrefix("record") && !line.meaning.contains("free_memo") {
      for (one, other) in others where line.text.contains(one) {
        // "She had lunch" is about one person still.
        guard language == .japanese || other.contains("I ") || line.text.contains(" her ") else { continue }
        let text = line.text.replacing(one, with: other)
        guard language == .english || !text.hasPrefix("彼が") else { continue }
        count += 1
        let understood = try Self.understand(text, line.now, language)
        if case .record = understood { Issue.record("\(text): \(understood)") }
      }
    }
    #expect(count > 0)
  }

  @Test(arguments: CareLanguage.allCases)
  func `two sentences at once store nothing`(language: CareLanguage) throws {
    let lines = try Self.lines(language).filter { $0.meaning.hasPrefix("record") && !$0.meaning.contains("free_memo") }
    for (first, second) in zip(lines, lines.dropFirst(31)) where first.now == second.now {
      let category = { (line: Line) in line.meaning.split(separator: " ")[1] }
      guard category(first) != category(second) else { continue }
      let text = first.text + (language == .japanese ? "、" : ", ") + second.text
      let understood = try Self.understand(text, first.now, language)
      if case .record = understood { Issue.record("\(text): \(understood)") }
    }
  }

  @Test(arguments: CareLanguage.allCases)
  func `any text is heard without harm`(language: CareLanguage) throws {
    let words = try Self.lines(language).flatMap { $0.text.split(separator: " ").map(String.init) }
    var random = SeededText(seed: 7)
    for _ in 0..<500 {
      let text = (0..<3).map { _ in random.next() + (words.randomElement() ?? "") }.joined(separator: " ")
      _ = try Self.understand(text, 1_795_586_400, language)
    }
    #expect(try Self.understand("", 0, language) == .unclear(.noWords))
    #expect(try Self.understand("、。", 0, language) == .unclear(.noWords))
    #expect(try Self.understand(String(repeating: "薬 ", count: 251), 0, language) == .unclear(.tooLong))
  }
}
