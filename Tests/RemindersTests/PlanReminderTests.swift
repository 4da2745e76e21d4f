import Bus
import CarePlan
import CivilTime
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

@Suite(.timeLimit(.minutes(5))) struct PlanReminderTests {
  /// A household with its plan, at a time on 2026-11-25 in Berlin.
  struct Care {
    let home: ReminderActorTests.Home
    let actor: ReminderActor
    let storage: StorageActor
    let plan: CarePlanActor

    func at(_ time: String, _ day: String = "2026-11-25") async throws {
      try self.home.set(time, on: day)
      try await self.actor.tick()
    }

    func ask<C: Command>(_ command: C, as principal: String? = nil) async throws -> C.Reply {
      let port = LocalBatchPort(self.actor.routes + self.plan.routes, batches: [])
      return try await port.ask(command)
    }

    @discardableResult
    func add(_ name: String, _ times: String..., change: (inout PlanItem) -> Void = { _ in }) async throws -> PlanItem {
      var item = PlanItem()
      (item.name, item.kind, item.amount, item.unit) = (name, "medicine", "1", "tablet")
      item.times = times.map { text in PlanTime.with { $0.time = text } }
      change(&item)
      return try await self.ask(AddPlanItemRequest.with { [item] in $0.item = item })
    }

    func give(_ item: PlanItem, at time: String? = nil, by: String = "Taro", confirmed: Bool = false) async throws {
      _ = try await self.ask(
        GiveRequest.with {
          ($0.itemID, $0.recorder, $0.confirmed) = (item.id, by, confirmed)
          if let time { $0.occurredAt = .init(nanosecondsSince1970: (try? Self.instant(time)) ?? 0) }
        })
      try await self.actor.tick()
    }

    static func instant(_ time: String, _ day: String = "2026-11-25") throws -> Int64 {
      let (day, time) = (try #require(Day(day)), try #require(TimeOfDay(time)))
      return try #require(Zone(named: "Europe/Berlin")?.instant(of: day, at: time))
    }

    var due: [Reminder] { get async throws { try await self.ask(ReminderStatusRequest()).due } }

    /// What was sent since the last look.
    func said() async throws -> [String] {
      try await until {
        try await self.storage.read { view throws(Failure) in try view.deliveries.heads() }.isEmpty
      }
      return self.home.said.withLock { said in
        defer { said = [] }
        return said
      }
    }
  }

  func care(_ time: String = "07:00", language: String = "en", _ body: (Care) async throws -> Void) async throws {
    let home = try ReminderActorTests.Home(at: "2026-11-25T00:00:00Z")
    try home.set(time, on: "2026-11-25")
    try await home.run { actor, storage in
      try await storage.write { transaction throws(Failure) in
        var settings = try transaction.care.settings()
        (settings.timeZone, settings.language, settings.recorder) = ("Europe/Berlin", language, "Hanako")
        try transaction.care.configure(settings)
      }
      try await body(
        Care(
          home: home, actor: actor, storage: storage,
          plan: CarePlanActor(storage: storage, now: { home.clock.withLock { $0 } })))
    }
  }

  @Test func `what is due together is one message, again and missed say what is still open`() async throws {
    try await self.care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      try await care.add("Vitamin", "8:00") { ($0.amount, $0.unit) = ("2", "drops") }
      try await care.add("Tea", "8:00") { $0.quiet = true }
      try await care.at("07:59")
      #expect(try await care.said() == [])
      try await care.at("08:00")
      try await care.at("08:00")
      #expect(try await care.said() == ["Care plan, 08:00\nAspirin 1 tablet\nVitamin 2 drops"])
      #expect(try await care.due.map(\.title) == ["Aspirin 1 tablet, Vitamin 2 drops"])
      try await care.give(aspirin)
      #expect(try await care.due.map(\.title) == ["Vitamin 2 drops"])
      try await care.at("08:29")
      #expect(try await care.said() == [])
      try await care.at("08:30")
      #expect(try await care.said() == ["Care plan, 08:00, again\nVitamin 2 drops"])
      for time in ["09:00", "09:30"] { try await care.at(time) }
      _ = try await care.said()
      try await care.at("10:00")
      #expect(try await care.said() == [])
      try await care.at("10:01")
      #expect(try await care.said() == ["Care plan, missed\n08:00 Vitamin 2 drops"])
      try await care.at("11:00")
      #expect(try await care.said() == [])
      #expect(try await care.due == [])
    }
  }

  @Test func `what comes within a day is in the list of what is to come, until somebody answers`() async throws {
    try await self.care { care in
      let aspirin = try await care.add("Aspirin", "8:00", "20:00")
      try await care.add("Vitamin", "20:00")
      try await care.add("Tea", "9:00") { $0.quiet = true }
      try await care.add("Later", "8:00") { $0.from = "2026-11-27" }
      func coming() async throws -> [String] {
        try await care.ask(ReminderStatusRequest()).pending.map { reminder in
          #expect(reminder.id.isEmpty == (reminder.knownState == .waiting) && reminder.knownKind == .plan)
          let zone = try #require(Zone(named: "Europe/Berlin"))
          return "\(zone.time(at: reminder.comesAt.nanosecondsSince1970)) \(reminder.title)"
        }
      }
      #expect(try await coming() == ["08:00 Aspirin 1 tablet", "20:00 Aspirin 1 tablet, Vitamin 1 tablet"])
      try await care.give(aspirin)
      #expect(try await coming() == ["20:00 Aspirin 1 tablet, Vitamin 1 tablet"])
      try await care.at("20:00")
      #expect(try await coming() == ["08:00 Aspirin 1 tablet"])
      let due = try #require(try await care.due.first)
      _ = try await care.ask(SnoozeReminderRequest.with { ($0.id, $0.minutes) = (due.id, 45) })
      #expect(try await coming() == ["20:45 Aspirin 1 tablet, Vitamin 1 tablet", "08:00 Aspirin 1 tablet"])
    }
  }

  @Test func `a hub that was off says what is due, and in one message what was missed`() async throws {
    try await self.care { care in
      for name in ["Aspirin", "Tea"] { try await care.add(name, "8:00", "12:00", "16:00", "20:00") }
      try await care.at("08:30", "2026-11-26")
      let said = try await care.said()
      #expect(said.count == 2)
      let missed = try #require(said.first { $0.hasPrefix("Care plan, missed") })
      #expect(missed.split(separator: "\n").count == 9 && missed.contains("2026-11-25 12:00 Tea 1 tablet"), "\(missed)")
      #expect(said.contains("Care plan, 08:00, late\nAspirin 1 tablet\nTea 1 tablet"), "\(said)")
    }
  }

  @Test func `what a phone without a network recorded ends it, and taking it back begins it again`() async throws {
    try await self.care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      try await care.at("08:00")
      try await care.at("08:40")
      _ = try await care.said()
      try await care.give(aspirin, at: "08:05")
      #expect(try await care.due == [])
      try await care.at("09:20")
      #expect(try await care.said() == [])
      let dose = try await care.ask(ListDosesRequest()).doses[0]
      _ = try await care.ask(UndoDoseRequest.with { $0.id = dose.id })
      try await care.at("09:21")
      #expect(try await care.due.count == 1)
      #expect(try await care.said() == [])
      try await care.at("09:52")
      #expect(try await care.said() == ["Care plan, 08:00, again\nAspirin 1 tablet"])
    }
  }

  @Test func `paused by mistake and resumed it is open again, and what a person has removed is not`() async throws {
    try await self.care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      func pause(until time: String, _ day: String = "2026-11-25") async throws {
        _ = try await care.ask(PausePlanItemRequest.with { $0.id = aspirin.id })
        try await care.actor.tick()
        #expect(try await care.due == [])
        try care.home.set(time, on: day)
        _ = try await care.ask(ResumePlanItemRequest.with { $0.id = aspirin.id })
        try await care.actor.tick()
      }
      try await care.at("08:05")
      _ = try await care.said()
      try await pause(until: "08:06")
      #expect(try await care.due.count == 1)
      try await care.at("08:35")
      #expect(try await care.said() == [])
      try await care.at("08:36")
      #expect(try await care.said() == ["Care plan, 08:00, again\nAspirin 1 tablet"])
      try await care.at("10:01")
      #expect(try await care.said() == ["Care plan, missed\n08:00 Aspirin 1 tablet"])
      // Paused until after its end: it is over.
      try await care.at("08:00", "2026-11-26")
      _ = try await care.said()
      try await pause(until: "10:30", "2026-11-26")
      #expect(try await care.due == [])
      try await care.at("08:00", "2026-11-27")
      _ = try await care.said()
      let reminder = try #require(try await care.due.first)
      _ = try await care.ask(RemoveReminderRequest.with { $0.id = reminder.id })
      try await pause(until: "08:10", "2026-11-27")
      try await care.at("11:00", "2026-11-27")
      #expect(try await care.due == [])
      #expect(try await care.said() == [])
    }
  }

  @Test func `what a person has removed stays so, also what was missed or done`() async throws {
    try await self.care { care in
      try await care.add("Aspirin", "8:00")
      let tea = try await care.add("Tea", "9:00")
      for time in ["08:00", "09:00"] { try await care.at(time) }
      try await care.give(tea)
      try await care.at("10:01")
      let past = try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders
      #expect(past.map(\.knownState) == [.done, .missed])
      for reminder in past { _ = try await care.ask(RemoveReminderRequest.with { $0.id = reminder.id }) }
      try await care.at("10:30")
      #expect(
        try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders.map(\.knownState)
          == [.removed, .removed])
    }
  }

  @Test func `done records each that is open once, and says what others gave`() async throws {
    try await self.care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      try await care.add("Vitamin", "8:00")
      try await care.at("08:00")
      let reminder = try #require(try await care.due.first)
      try await care.give(aspirin)
      try care.home.set("08:10", on: "2026-11-25")
      let done = try await care.ask(DoneReminderRequest.with { $0.id = reminder.id })
      #expect(done.knownState == .done)
      #expect(done.times.map(\.answeredBefore) == [true, false])
      #expect(done.times.map(\.by) == ["Taro", "Hanako"])
      let again = try await care.ask(DoneReminderRequest.with { $0.id = reminder.id })
      #expect(again.times.map(\.answeredBefore) == [true, true])
      let doses = try await care.ask(ListDosesRequest()).doses
      #expect(doses.map(\.itemName) == ["Vitamin", "Aspirin"] && doses.allSatisfy { $0.amount == "1" && $0.hasDue })
    }
  }

  @Test func `skip, later and a pause are quiet, and what was missed can still be done`() async throws {
    try await self.care { care in
      try await care.add("Aspirin", "8:00", "12:00")
      let tea = try await care.add("Tea", "9:00")
      try await care.at("08:00")
      var reminder = try #require(try await care.due.first)
      _ = try await care.ask(
        SkipReminderRequest.with {
          $0.id = reminder.id
          $0.reason = "sick"
        })
      #expect(try await care.ask(ListDosesRequest()).doses.map(\.reason) == ["sick"])
      try await care.at("09:00")
      reminder = try #require(try await care.due.first)
      _ = try await care.said()
      _ = try await care.ask(SnoozeReminderRequest.with { ($0.id, $0.minutes) = (reminder.id, 150) })
      try await care.at("11:15")
      #expect(try await care.said() == [])
      try await care.at("11:30")
      #expect(try await care.said() == ["Care plan, 09:00, again\nTea 1 tablet"])
      _ = try await care.ask(PausePlanItemRequest.with { $0.id = tea.id })
      try await care.at("11:31")
      #expect(try await care.due == [])
      try await care.at("15:00")
      #expect(try await care.said() == ["Care plan, missed\n12:00 Aspirin 1 tablet"])
      let late = try await care.ask(DoneReminderRequest.with { $0.id = "plan:2026-11-25-1100" })
      #expect(late.knownState == .done)
      let day = try await care.ask(PlanDayRequest())
      #expect(day.dues.contains { $0.item.name == "Aspirin" && $0.isLate })
    }
  }

  @Test func `two who did not know of each other are told, and who knew is not`() async throws {
    try await self.care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      try await care.at("08:00")
      try await care.give(aspirin, at: "08:00")
      _ = try await care.said()
      try await care.at("08:12")
      try await care.give(aspirin, at: "08:10", by: "Hanako")
      try await care.at("08:30")
      let text = "Aspirin of 08:00 was recorded twice: 08:00 Taro, 08:10 Hanako"
      #expect(try await care.said() == ["Recorded twice\n\(text)"])
      #expect(try await care.due.map(\.title) == [text])
      let dose = try #require(try await care.ask(ListDosesRequest()).doses.first)
      _ = try await care.ask(UndoDoseRequest.with { $0.id = dose.id })
      try await care.at("08:31")
      #expect(try await care.due == [])
      try await care.give(aspirin, confirmed: true)
      try await care.at("08:32")
      #expect(try await care.said() == [])
    }
  }

  @Test func `two who gave the same long before its time are told at once`() async throws {
    try await self.care("10:00") { care in
      let aspirin = try await care.add("Aspirin", "20:00")
      for name in ["Taro", "Hanako"] { try await care.give(aspirin, by: name) }
      #expect(try await care.due.map(\.knownKind) == [.double])
    }
  }

  @Test func `in Japanese, and without names`() async throws {
    try await self.care(language: "ja") { care in
      try await care.add("アスピリン", "8:00") { $0.unit = "錠" }
      try await care.at("08:00")
      #expect(try await care.said() == ["08:00の予定\nアスピリン 1 錠"])
      _ = try await care.ask(
        ConfigureRemindersRequest.with {
          $0.settings.noPlanNames = true
          $0.fields = ["no_plan_names"]
        })
      try await care.at("08:30")
      #expect(try await care.said() == ["08:00の予定(再度)\n1件の予定があります。"])
      try await care.at("10:30")
      #expect(try await care.said() == ["未実施の予定\n1件の予定が記録されていません。"])
    }
  }

  @Test func `a clock that is set back by less than an hour repeats nothing, whatever else the reminder tells of`()
    async throws
  {
    try await self.care { care in
      try await care.add("Aspirin", "8:00") { ($0.missedMinutes, $0.againMinutes) = (30, 1440) }
      let vitamin = try await care.add("Vitamin", "8:00")
      try await care.at("08:00")
      try await care.give(vitamin)
      try await care.at("08:31")
      #expect(try await care.said().last == "Care plan, missed\n08:00 Aspirin 1 tablet")
      for time in ["07:45", "08:00", "08:31"] { try await care.at(time) }
      #expect(try await care.said() == [])
    }
  }

  @Test func `a clock that is set back by less than an hour repeats nothing of what is missed after minutes`()
    async throws
  {
    try await self.care { care in
      try await care.add("Aspirin", "8:00") { ($0.missedMinutes, $0.againMinutes) = (30, 1440) }
      try await care.at("08:00")
      try await care.at("08:31")
      #expect(try await care.said().last == "Care plan, missed\n08:00 Aspirin 1 tablet")
      for time in ["07:41", "08:00", "08:31"] {
        try await care.at(time)
        let states = try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders.map(\.state)
        #expect(states == ["missed"], "\(time)")
      }
      #expect(try await care.said() == [])
      // Back by more, it is said again.
      try await care.at("07:20")
      let states = try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders.map(\.state)
      #expect(states == ["removed"])
      try await care.at("08:00")
      #expect(try await care.said() == ["Care plan, 08:00, again\nAspirin 1 tablet"])
      // A clock that was a day ahead says it when it comes there, minutes before the end of what is missed in truth.
      try await care.at("12:00", "2026-11-27")
      #expect(try await care.said().last?.contains("26") == true)
      for time in ["07:31", "08:00"] { try await care.at(time, "2026-11-26") }
      #expect(try await care.said() == ["Care plan, 08:00\nAspirin 1 tablet"])
    }
  }

  @Test func `a clock that was wrong neither silences nor repeats`() async throws {
    try await self.care { care in
      try await care.add("Aspirin", "8:00", "12:00")
      try await care.at("08:00", "2026-11-26")
      #expect(try await care.said().count == 2)
      try await care.at("07:30")
      #expect(try await care.due == [])
      let past = try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders
      #expect(past.count == 3 && past.allSatisfy { $0.knownState == .removed && $0.title == "Aspirin 1 tablet" })
      try await care.at("07:31")
      #expect(try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders == past)
      try await care.at("08:00")
      #expect(try await care.said() == ["Care plan, 08:00\nAspirin 1 tablet"])
      try await care.at("07:50")
      try await care.at("08:01")
      #expect(try await care.said() == [])
      // Also of what was missed: a machine without a clock of its own starts with an old time.
      try await care.at("10:01")
      #expect(try await care.said().last == "Care plan, missed\n08:00 Aspirin 1 tablet")
      for time in ["09:30", "10:02", "11:00"] { try await care.at(time) }
      #expect(try await care.said() == [])
      #expect(try await care.due == [])
      try await care.at("08:50")
      #expect(try await care.due.map(\.title) == ["Aspirin 1 tablet"])
    }
  }
}

extension ReminderActorTests.Home {
  /// Sets the clock to a time of a day in Berlin.
  func set(_ time: String, on day: String) throws {
    let instant = try PlanReminderTests.Care.instant(time, day)
    self.clock.withLock { $0 = instant }
  }
}
