import Bus
import CivilTime
import Foundation
import KithMessages
import Spoken
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import CarePlan

/// Sentences about the plan and about measurements, and what is offered to the person who says them: `Tests/vectors/spoken/plan.*.tsv`.
@Suite struct GoldenSuggestionTests {
  struct Line: Sendable {
    let time: String
    let text: String
    let meaning: String
  }

  static func lines(_ language: CareLanguage) throws -> [Line] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = folder.appending(path: "vectors/spoken/plan.\(language.rawValue).tsv")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      let parts = $0.split(separator: "\t").map(String.init)
      try #require(parts.count == 3, "\($0)")
      return Line(time: parts[0], text: parts[1], meaning: parts[2])
    }
  }

  private static let names: [CareLanguage: [String: String]] = [
    .english: [
      "aspirin": "Aspirin 100 mg", "metformin": "Metformin", "drops": "Eye drops", "vitamin": "Vitamin D",
      "insulin": "Insulin",
      "paracetamol": "Paracetamol", "exercises": "Exercises",
    ],
    .japanese: [
      "aspirin": "アスピリン錠100mg", "metformin": "メトホルミン", "drops": "目薬", "vitamin": "ビタミンD", "insulin": "インスリン",
      "paracetamol": "カロナール", "exercises": "体操",
    ],
  ]

  private static let plan: [(id: String, times: [String], unit: String, form: PlanForm?, kind: PlanKind)] = [
    ("aspirin", ["08:00", "20:00"], "tablet", .tablet, .medicine),
    ("metformin", ["08:00", "12:00"], "tablets", .tablet, .medicine),
    ("drops", ["09:00", "21:00"], "drops", .drops, .medicine), ("vitamin", ["12:00"], "", .capsule, .medicine),
    ("insulin", ["07:30", "18:30"], "units", .injection, .medicine), ("paracetamol", [], "tablet", .tablet, .medicine),
    ("exercises", ["10:00"], "", nil, .exercise),
  ]

  static func items(_ language: CareLanguage) -> [PlanItem] {
    Self.plan.map { planned in
      PlanItem.with {
        $0.id = planned.id
        $0.name = Self.names[language]?[planned.id] ?? planned.id
        $0.knownKind = planned.kind
        $0.unit = planned.unit
        if let form = planned.form { $0.knownForm = form }
        $0.amount = planned.unit.isEmpty ? "" : "1"
        $0.times = zip(1..., planned.times).map { slot, time in
          PlanTime.with { ($0.time, $0.slot) = (time, slot) }
        }
        $0.asNeeded = planned.times.isEmpty
        $0.knownState = .active
        $0.from = "2026-01-01"
        $0.timeZone = "Asia/Tokyo"
      }
    }
  }

  private static func clock(_ nanoseconds: Int64) throws -> String {
    let zone = try #require(Zone(named: "Asia/Tokyo"))
    let (day, time) = zone.local(at: nanoseconds)
    return day.description == "2026-11-25" ? time.description : "\(day) \(time)"
  }

  /// As the files have it.
  static func offered(_ line: Line, _ language: CareLanguage) throws -> String {
    let (zone, day, time) = (
      try #require(Zone(named: "Asia/Tokyo")), try #require(Day("2026-11-25")), try #require(TimeOfDay(line.time))
    )
    let now = try #require(zone.instant(of: day, at: time))
    let recipient = language == .japanese ? "佐藤 良子" : "Yoshiko Sato"
    let listener = Listener(now: now / 1_000_000_000, zone: zone, recipient: recipient)
    let items = Self.items(language)
    let rules = SuggestionRules(
      items: items.map {
        DoseRules(item: $0, schedule: PlanSchedule(versions: [PlanVersion($0, from: 0)]), doses: [])
      })
    var told: [String] = []
    for mention in listener.mentions(line.text, language, of: items) {
      switch mention {
      case .measured(let value):
        let at = try Self.clock(value.at.map { $0 * 1_000_000_000 } ?? now)
        let number = value.lower.isEmpty ? value.value : "\(value.value)/\(value.lower)"
        told.append([value.kind.rawValue, number, value.unit, "@\(at)"].filter { !$0.isEmpty }.joined(separator: " "))
      case .given(let given):
        told += try rules.suggestions(for: given, now: now).map { suggestion in
          let due = suggestion.hasDue ? try Self.clock(suggestion.due.nanosecondsSince1970) : ""
          let at = try Self.clock(suggestion.occurredAt.nanosecondsSince1970)
          let amount = suggestion.amount.isEmpty ? "" : "x\(suggestion.amount)"
          return [suggestion.item.id, due, "@\(at)", amount].filter { !$0.isEmpty }.joined(separator: " ")
        }.sorted()
      }
    }
    return told.isEmpty ? "nothing" : told.joined(separator: " + ")
  }

  @Test(arguments: CareLanguage.allCases)
  func `what is offered is right, and nearly all is understood`(language: CareLanguage) throws {
    let lines = try Self.lines(language)
    let some = lines.filter { $0.meaning != "nothing" }
    #expect(lines.count >= 120 && some.count * 2 <= lines.count + 1)
    var (missed, wrong): ([String], [String]) = ([], [])
    for line in lines {
      let offered = try Self.offered(line, language)
      if offered == line.meaning { continue }
      if offered == "nothing" {
        missed.append(line.text)
      } else {
        wrong.append("\(line.time) \(line.text): \(offered)")
      }
    }
    print("\(language.rawValue): \(some.count - missed.count) of \(some.count) understood, \(wrong.count) wrong")
    #expect(wrong.isEmpty, "\(wrong)")
    #expect(missed.count * 25 <= some.count, "\(missed)")
  }

  /// Words that take away what a sentence says, in front of it or behind it.
  private static let spoilers: [CareLanguage: (before: [String], after: [String])] = [
    .english: (
      ["if ", "maybe ", "I think ", "he said ", "my neighbour and ", "I don't know whether ", "tomorrow "],
      [
        " or not", "?", " maybe", " I think", " never", " instead of me", " for the dog", ", right", ", sorry, three",
        " cancelled", " of my brother",
      ]
    ),
    .japanese: (
      ["もし", "たぶん", "隣の人と", "犬と"],
      ["か", "らしい", "かもしれない", "って", "と思う", "はずです", "つもり", "?", "けど", "、違う", "、キャンセル", "、犬に"]
    ),
  ]

  /// Each of the words meets one of twelve sentences, and at full size one of four.
  @Test(arguments: CareLanguage.allCases)
  func `a sentence with a doubt in it offers nothing`(language: CareLanguage) throws {
    let (spoilers, share) = (try #require(Self.spoilers[language]), testSize(short: 12, full: 4))
    var wrong: [String] = []
    for (number, line) in try Self.lines(language).filter({ $0.meaning != "nothing" }).enumerated() {
      let plain = line.text.trimmingCharacters(in: CharacterSet(charactersIn: ".。 "))
      let doubted = spoilers.before.map { $0 + plain } + spoilers.after.map { plain + $0 }
      for (index, text) in doubted.enumerated() where (index + number).isMultiple(of: share) {
        let offered = try Self.offered(Line(time: line.time, text: text, meaning: ""), language)
        if offered != "nothing" { wrong.append("\(text): \(offered)") }
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test(arguments: CareLanguage.allCases)
  func `without a plan no item is offered`(language: CareLanguage) throws {
    let listener = Listener(
      now: 1_795_586_400, zone: try #require(Zone(named: "Asia/Tokyo")), recipient: "Yoshiko Sato")
    for line in try Self.lines(language) {
      let mentions = listener.mentions(line.text, language, of: [])
      #expect(!mentions.contains { if case .given = $0 { true } else { false } }, "\(line.text)")
    }
  }
}
