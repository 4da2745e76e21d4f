import Bus
import CivilTime
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import CarePlan

@Suite struct DoseRulesTests {
  static func dose(
    _ id: String, _ time: String, due: String? = nil, _ outcome: DoseOutcome = .given, by: String = "Taro"
  ) throws -> Dose {
    var dose = Dose()
    dose.id = id
    dose.itemID = "item"
    dose.occurredAt = .init(nanosecondsSince1970: try PlanScheduleTests.instant("2026-11-25", time))
    if let due {
      dose.due = .init(nanosecondsSince1970: try PlanScheduleTests.instant("2026-11-25", due))
      dose.timeKey = "\(Self.slots[due] ?? 0)/2026-11-25"
    }
    dose.knownOutcome = outcome
    dose.recorder = by
    return dose
  }

  /// The numbers of the times of the items below, by their time.
  static let slots = ["08:00": 1, "12:00": 2, "20:00": 3]

  static func rules(_ item: PlanItem, _ doses: Dose...) -> DoseRules {
    DoseRules(item: item, schedule: PlanScheduleTests.schedule((0, item)), doses: doses)
  }

  func due(_ rules: DoseRules, at time: String) throws -> String? {
    let due = rules.due(at: try PlanScheduleTests.instant("2026-11-25", time))
    let zone = try #require(Zone(named: "Europe/Berlin"))
    return due.map { zone.time(at: $0.instant).description }
  }

  static func known(_ rules: DoseRules, _ time: String) throws -> PlanSchedule.Due {
    let instant = try PlanScheduleTests.instant("2026-11-25", time)
    return try #require(rules.schedule.dues(from: instant, to: instant + 1).first)
  }

  func warnings(_ rules: DoseRules, at time: String, due: String?, isGiven: Bool = true) throws -> [PlanWarningKind?] {
    rules.warnings(
      at: try PlanScheduleTests.instant("2026-11-25", time), due: try due.map { try Self.known(rules, $0) },
      isGiven: isGiven
    ).map(\.knownKind)
  }

  @Test func `what is given answers the time that is open, else the nearest`() throws {
    let item = PlanScheduleTests.item("08:00", "12:00", "20:00")
    #expect(try self.due(Self.rules(item), at: "10:30") == "08:00")
    #expect(try self.due(Self.rules(item), at: "10:59") == "08:00")
    let given = Self.rules(item, try Self.dose("a", "10:30", due: "08:00"))
    // Ten minutes later it is a second one of the same, and shortly before noon the next.
    #expect(try self.due(given, at: "10:40") == "08:00")
    #expect(try self.due(given, at: "11:50") == "12:00")
    #expect(try self.due(Self.rules(PlanScheduleTests.item("20:00")), at: "19:00") == "20:00")
  }

  @Test func `what is given just before a time is for that time, also if the one before was missed`() throws {
    let item = PlanScheduleTests.item("08:00", "12:00", "20:00")
    // Else the reminder of 12:00 would ask for it a second time.
    #expect(try self.due(Self.rules(item), at: "11:00") == "12:00")
    #expect(try self.due(Self.rules(item), at: "11:59") == "12:00")
    let early = Self.rules(item, try Self.dose("a", "11:30", due: "12:00"))
    // A second one ten minutes later is a second one.
    #expect(try self.due(early, at: "11:40") == "12:00")
    // What is not missed yet is still meant.
    var patient = item
    patient.missedMinutes = 300
    #expect(try self.due(Self.rules(patient), at: "11:59") == "08:00")
    // Of the evening before, as of the same day.
    let once = Self.rules(PlanScheduleTests.item("08:00"))
    #expect(once.due(at: try PlanScheduleTests.instant("2026-11-25", "07:55"))?.key == "1/2026-11-25")
    #expect(once.due(at: try PlanScheduleTests.instant("2026-11-25", "06:55"))?.key == "1/2026-11-24")
    // A time that is nearer is meant first.
    var short = PlanScheduleTests.item("08:00", "09:00")
    short.missedMinutes = 5
    #expect(try self.due(Self.rules(short), at: "08:20") == "08:00")
    #expect(try self.due(Self.rules(short), at: "08:40") == "09:00")
  }

  @Test func `who gives it again is told, and who gives the next is not`() throws {
    let item = PlanScheduleTests.item("08:00", "12:00", "20:00")
    let rules = Self.rules(item, try Self.dose("a", "08:10", due: "08:00"))
    #expect(try self.warnings(rules, at: "08:30", due: "08:00") == [.given])
    #expect(try self.warnings(rules, at: "20:00", due: "20:00") == [])
    let (now, due) = (try PlanScheduleTests.instant("2026-11-25", "08:30"), try Self.known(rules, "08:00"))
    let warning = try #require(rules.warnings(at: now, due: due, isGiven: true).first)
    #expect((warning.doseID, warning.by) == ("a", "Taro"))
    #expect(try self.warnings(rules, at: "08:30", due: "08:00", isGiven: false) == [.given])
    // What was skipped may be given after all, and is said.
    let skipped = Self.rules(item, try Self.dose("a", "08:10", due: "08:00", .skipped))
    #expect(try self.warnings(skipped, at: "08:30", due: "08:00") == [.given])
  }

  @Test func `who was told that it is too early did not know that it was given`() {
    func told(_ kinds: PlanWarningKind...) -> Bool {
      var request = GiveRequest()
      request.confirm(kinds.map { kind in PlanWarning.with { $0.knownKind = kind } })
      return request.confirmed
    }
    #expect(told(.early, .given) && !told(.early, .most) && !told())
  }

  @Test func `what is late or doubled is never booked for tomorrow in silence`() throws {
    let item = PlanScheduleTests.item("08:00")
    // Twelve and a half hours late it is still that of today.
    #expect(try self.due(Self.rules(item), at: "20:30") == "08:00")
    #expect(Self.rules(item).due(at: try PlanScheduleTests.instant("2026-11-25", "20:30"))?.key == "1/2026-11-25")
    // A second one of an item that comes once a day is one that is too early for tomorrow.
    let given = Self.rules(item, try Self.dose("a", "08:05", due: "08:00"))
    let now = try PlanScheduleTests.instant("2026-11-25", "20:30")
    let due = given.due(at: now)
    #expect(due?.key == "1/2026-11-26")
    #expect(given.warnings(at: now, due: due, isGiven: true).map(\.knownKind) == [.early])
  }

  @Test func `what was given stays given when its time moves`() throws {
    let zone = try #require(Zone(named: "Europe/Berlin"))
    let (before, moved) = (PlanScheduleTests.item("08:00"), PlanScheduleTests.item("08:30"))
    let schedule = PlanScheduleTests.schedule(
      (0, before), (try PlanScheduleTests.instant("2026-11-25", "07:55"), moved))
    let rules = DoseRules(item: moved, schedule: schedule, doses: [try Self.dose("a", "07:50", due: "08:00")])
    let board = PlanDay(
      try #require(Day("2026-11-25")), [rules], in: zone, now: try PlanScheduleTests.instant("2026-11-25", "12:00"))
    #expect(board.dues.map(\.knownState) == [.given] && board.others.isEmpty)
  }

  @Test func `too early and too often are said to the minute`() throws {
    var item = PlanScheduleTests.item()
    (item.asNeeded, item.leastMinutes, item.mostPerDay) = (true, 240, 2)
    let one = Self.rules(item, try Self.dose("a", "08:00"))
    #expect(try self.warnings(one, at: "11:59", due: nil) == [.early])
    #expect(try self.warnings(one, at: "12:00", due: nil) == [])
    // One that is recorded late, for a time before.
    #expect(try self.warnings(one, at: "07:30", due: nil) == [.early])
    let two = Self.rules(item, try Self.dose("a", "08:00"), try Self.dose("b", "13:00"))
    #expect(try self.warnings(two, at: "14:00", due: nil) == [.early, .most])
    #expect(try self.warnings(two, at: "19:00", due: nil) == [.most])
    #expect(
      two.earliest(at: try PlanScheduleTests.instant("2026-11-25", "14:00"))
        == (try PlanScheduleTests.instant("2026-11-25", "17:00")))
    let skipped = Self.rules(item, try Self.dose("a", "08:00", .skipped))
    #expect(try self.warnings(skipped, at: "08:30", due: nil) == [])
  }

  @Test func `a paused item is said`() throws {
    var item = PlanScheduleTests.item("08:00")
    item.knownState = .paused
    #expect(try self.warnings(Self.rules(item), at: "08:00", due: nil) == [.inactive])
  }

  @Test func `what is given before the first day or after the last one is said`() throws {
    var item = PlanScheduleTests.item()
    (item.asNeeded, item.from, item.until) = (true, "2026-11-25", "2026-11-25")
    func warned(_ day: String, _ time: String) throws -> Bool {
      !Self.rules(item).warnings(at: try PlanScheduleTests.instant(day, time), due: nil, isGiven: true).isEmpty
    }
    #expect(try warned("2026-11-24", "23:59") && warned("2026-11-26", "00:00"))
    #expect(try !warned("2026-11-25", "00:00") && !warned("2026-11-25", "23:59"))
    // At the usual time of the next day, when the last one was given.
    var morning = PlanScheduleTests.item("08:00")
    morning.until = "2026-11-25"
    let rules = Self.rules(morning, try Self.dose("a", "08:02", due: "08:00"))
    let next = try PlanScheduleTests.instant("2026-11-26", "08:00")
    let kinds = rules.warnings(at: next, due: rules.due(at: next), isGiven: true).map(\.knownKind)
    #expect(kinds.contains(.inactive))
    // The last evening, after midnight.
    var evening = PlanScheduleTests.item("22:30")
    evening.until = "2026-11-25"
    let now = try PlanScheduleTests.instant("2026-11-26", "00:10")
    #expect(Self.rules(evening).warnings(at: now, due: Self.rules(evening).due(at: now), isGiven: true).isEmpty)
  }

  @Test(arguments: testSeeds(short: 100, full: 3000))
  func `the same doses make the same day, in whichever order they came`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let item = PlanScheduleTests.item("08:00", "12:00", "20:00")
    let times = ["07:55", "08:10", "08:10", "09:00", "12:00", "12:05", "19:00", "22:00"]
    var doses = try (0..<Int.random(in: 0...8, using: &random)).map { number in
      try Self.dose(
        "d\(number)", times.randomElement(using: &random) ?? "08:00",
        due: [nil, "08:00", "12:00", "20:00"].randomElement(using: &random) ?? nil,
        DoseOutcome.allCases.randomElement(using: &random) ?? .given)
    }
    let zone = try #require(Zone(named: "Europe/Berlin"))
    let day = try #require(Day("2026-11-25"))
    func board(_ doses: [Dose]) throws -> PlanDay {
      // As the store gives them.
      let sorted = doses.sorted {
        ($0.occurredAt.nanosecondsSince1970, $0.id) < ($1.occurredAt.nanosecondsSince1970, $1.id)
      }
      let rules = DoseRules(item: item, schedule: PlanScheduleTests.schedule((0, item)), doses: sorted)
      return PlanDay(day, [rules], in: zone, now: try PlanScheduleTests.instant("2026-11-25", "13:00"))
    }
    let first = try board(doses)
    doses.shuffle(using: &random)
    #expect(try board(doses) == first, "seed \(seed)")
    // Nothing is lost: each is an answer, a double, or one of the others; what was skipped for a time that was given is in the history.
    let shown = first.dues.flatMap { ($0.hasDose ? [$0.dose.id] : []) + $0.doubles.map(\.id) } + first.others.map(\.id)
    let given = doses.filter { $0.knownOutcome != .skipped }.map(\.id)
    #expect(Set(shown).count == shown.count && Set(given).isSubset(of: shown), "seed \(seed)")
    #expect(first.dues.count == 3)
  }
}
