import Bus
import CarePlan
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

/// Messages about the care plan that wait for a channel, or are under way, while somebody answers.
@Suite(.timeLimit(.minutes(5))) struct PlanMessageTests {
  /// A household whose first message, about the tea of 7:50, does not get through.
  func waiting(_ body: (PlanReminderTests.Care, _ aspirin: PlanItem, _ vitamin: PlanItem) async throws -> Void)
    async throws
  {
    try await PlanReminderTests().care { care in
      let tea = try await care.add("Tea", "7:50") { $0.missedMinutes = 1440 }
      let aspirin = try await care.add("Aspirin", "8:00") { ($0.missedMinutes, $0.againMinutes) = (30, 1440) }
      let vitamin = try await care.add("Vitamin", "8:00") { $0.againMinutes = 1440 }
      care.home.isHeld.withLock { $0 = true }
      try await care.at("07:50")
      try await self.underWay(care, 1)
      try await care.at("07:51")
      try await care.give(tea)
      try await body(care, aspirin, vitamin)
    }
  }

  static let away = Failure(.unavailable, "AWAY", "The phone is away.")

  func underWay(_ care: PlanReminderTests.Care, _ count: Int) async throws {
    try await until {
      try await care.storage.read { view throws(Failure) in try view.deliveries.heads() }.count {
        $0.knownState == .sending
      }
        == count
    }
  }

  func said(_ care: PlanReminderTests.Care) async throws -> [String] {
    care.home.isHeld.withLock { $0 = false }
    return try await care.said()
  }

  @Test func `a message that waits says only what is still open`() async throws {
    try await self.waiting { care, aspirin, _ in
      try await care.at("08:00")
      try await care.give(aspirin)
      #expect(try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet", "Care plan, 08:00\nVitamin 1 tablet"])
      try await care.at("08:01")
      #expect(try await care.said() == [])
    }
  }

  @Test func `a message that waits is not sent when all was answered`() async throws {
    try await self.waiting { care, aspirin, vitamin in
      try await care.at("08:00")
      for item in [aspirin, vitamin] { try await care.give(item) }
      #expect(try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet"])
    }
  }

  @Test func `a message that waits is not sent before the time to which it was put off`() async throws {
    try await self.waiting { care, _, _ in
      try await care.at("08:00")
      let reminder = try #require(try await care.due.first)
      _ = try await care.ask(SnoozeReminderRequest.with { ($0.id, $0.minutes) = (reminder.id, 10) })
      #expect(try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet"])
      try await care.at("08:10")
      #expect(try await care.said() == ["Care plan, 08:00, again\nAspirin 1 tablet\nVitamin 1 tablet"])
    }
  }

  @Test func `a message that failed under way is tried again with what is still open`() async throws {
    try await self.waiting { care, aspirin, _ in
      // Of the tea nothing is open any more, so that it is not tried again at all.
      care.home.failures.withLock { $0 = [Self.away] }
      #expect(try await self.said(care) == [])
      care.home.isHeld.withLock { $0 = true }
      try await care.at("08:00")
      try await self.underWay(care, 1)
      try await care.at("08:01")
      try await care.give(aspirin)
      care.home.failures.withLock { $0 = [Self.away, Self.away] }
      care.home.isHeld.withLock { $0 = false }
      try await until { care.home.failures.withLock { $0.isEmpty } }
      try await care.at("08:10")
      #expect(try await care.said() == ["Care plan, 08:00\nVitamin 1 tablet"])
      // The second failure replaced nothing.
      #expect(try await care.ask(ListDeliveriesRequest()).deliveries.count { $0.title == "Care plan, 08:00" } == 2)
    }
  }

  @Test func `what a message under way tells is not told again when a part of it was answered meanwhile`() async throws
  {
    try await self.waiting { care, aspirin, _ in
      _ = try await self.said(care)
      care.home.isHeld.withLock { $0 = true }
      try await care.at("08:00")
      try await self.underWay(care, 1)
      try await care.at("08:01")
      try await care.give(aspirin)
      #expect(try await self.said(care) == ["Care plan, 08:00\nAspirin 1 tablet\nVitamin 1 tablet"])
    }
  }

  @Test func `a message that a killed process left under way is sent with what is still open`() async throws {
    let house = try PlanHistoryTests.House(at: try PlanReminderTests.Care.instant("07:00"))
    try await house.move(to: "Europe/Berlin")
    var items: [PlanItem] = []
    for name in ["Aspirin", "Vitamin"] {
      let item = PlanItem.with { ($0.name, $0.knownKind, $0.times) = (name, .medicine, [.with { $0.time = "8:00" }]) }
      items.append(try await house.ask(AddPlanItemRequest.with { $0.item = item }))
    }
    house.clock.withLock { $0 += 60 * PlanHistoryTests.minute }
    try await house.actor.tick()
    let now = house.now
    try await house.storage.write { transaction throws(Failure) in
      for var entry in try transaction.deliveries.heads() {
        entry.begin(at: now)
        try transaction.deliveries.put(entry, now: now)
      }
    }
    house.clock.withLock { $0 += PlanHistoryTests.minute }
    _ = try await house.ask(GiveRequest.with { [items] in $0.itemID = items[0].id })
    try await house.actor.tick()
    try await house.restart()
    await house.actor.start()
    try await until {
      try await house.storage.read { view throws(Failure) in try view.deliveries.heads() }.isEmpty
    }
    let deliveries = try await house.ask(ListDeliveriesRequest()).deliveries
    #expect(deliveries.map(\.knownState) == [.delivered, .discarded])
    await house.close()
  }

  @Test func `a message that failed under way leaves to another one what that says`() async throws {
    try await self.waiting { care, _, _ in
      _ = try await self.said(care)
      try await care.add("Juice", "8:00")
      care.home.isHeld.withLock { $0 = true }
      try await care.at("08:00")
      try await self.underWay(care, 1)
      // It is said again meanwhile.
      try await care.at("08:30")
      care.home.failures.withLock { $0 = [Self.away] }
      #expect(try await self.said(care).map { $0.prefix { $0 != "\n" } } == ["Care plan, 08:00, again"])
    }
  }

  @Test(arguments: [
    // One of two reminders is answered late, a part of one, and all.
    (["Drops"], "08:00 Aspirin 1 tablet\n08:00 Vitamin 1 tablet"),
    (["Vitamin"], "08:00 Aspirin 1 tablet\n09:00 Drops 1 tablet"),
    (["Aspirin", "Vitamin", "Drops"], ""),
  ])
  func `a message about what several reminders missed says what is still missed`(late: [String], rest: String)
    async throws
  {
    for isUnderWay in [false, true] {
      try await self.waiting { care, aspirin, vitamin in
        let drops = try await care.add("Drops", "9:00")
        if isUnderWay {
          _ = try await self.said(care)
          care.home.isHeld.withLock { $0 = true }
        }
        try await care.at("14:00")
        if isUnderWay { try await self.underWay(care, 1) }
        for (minute, item) in [aspirin, vitamin, drops].enumerated() where late.contains(item.name) {
          try await care.at("14:0\(minute + 1)")
          try await care.give(item, at: "13:50")
        }
        if isUnderWay { care.home.failures.withLock { $0 = [Self.away] } }
        let expected =
          (isUnderWay ? [] : ["Care plan, 07:50\nTea 1 tablet"]) + (rest.isEmpty ? [] : ["Care plan, missed\n\(rest)"])
        #expect(try await self.said(care) == expected)
        try await care.at("14:30")
        #expect(try await care.said() == [])
      }
    }
  }

  @Test func `a long message whose first part failed under way says once what is still missed`() async throws {
    try await self.waiting { care, aspirin, _ in
      for letter in "abcdefgh" { try await care.add(String(repeating: letter, count: 150), "9:00") }
      _ = try await self.said(care)
      care.home.isHeld.withLock { $0 = true }
      try await care.at("14:00")
      try await self.underWay(care, 1)
      try await care.at("14:01")
      try await care.give(aspirin, at: "13:50")
      care.home.failures.withLock { $0 = [Self.away] }
      let said = try await self.said(care)
      #expect(said.count == 2 && said.joined().contains("Vitamin") && !said.joined().contains("Aspirin"))
    }
  }

  @Test func `a message about a part of a reminder is not sent when that was answered`() async throws {
    try await self.waiting { care, aspirin, vitamin in
      try await care.at("08:00")
      // Aspirin is missed, and the vitamin is not yet.
      for time in ["08:31", "08:32"] { try await care.at(time) }
      try await care.give(aspirin)
      #expect(try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet", "Care plan, 08:00\nVitamin 1 tablet"])
    }
  }

  @Test func `of two messages that wait each says its own of what is still missed, and neither is lost`() async throws {
    for isLast in [false, true] {
      try await self.waiting { care, aspirin, vitamin in
        let juice = try await care.add("Juice", "8:00") { ($0.missedMinutes, $0.againMinutes) = (30, 1440) }
        try await care.add("Drops", "9:00") { ($0.missedMinutes, $0.againMinutes) = (61, 1440) }
        // Aspirin and juice are missed first, vitamin and drops later.
        for time in ["08:00", "08:31", "09:00", "10:02"] { try await care.at(time) }
        for item in [aspirin, vitamin] {
          _ = try await care.ask(GiveRequest.with { ($0.itemID, $0.recorder) = (item.id, "Taro") })
        }
        try await care.at("10:03")
        if isLast {
          try await care.at("10:04")
          try await care.give(juice)
        }
        #expect(
          try await self.said(care)
            == ["Care plan, 07:50\nTea 1 tablet"] + (isLast ? [] : ["Care plan, missed\n08:00 Juice 1 tablet"])
            + ["Care plan, missed\n09:00 Drops 1 tablet"])
      }
    }
  }

  @Test func `a message about all that a reminder missed leaves to another one what that says`() async throws {
    try await self.waiting { care, aspirin, vitamin in
      let juice = try await care.add("Juice", "8:00") { $0.againMinutes = 1440 }
      for time in ["08:00", "08:31", "11:00"] { try await care.at(time) }
      try await care.at("11:01")
      try await care.give(juice)
      #expect(
        try await self.said(care) == [
          "Care plan, 07:50\nTea 1 tablet", "Care plan, missed\n08:00 Aspirin 1 tablet",
          "Care plan, missed\n08:00 Vitamin 1 tablet",
        ])
    }
  }

  @Test func `a message about what was missed is not sent after an answer, also if the clock was set back before`()
    async throws
  {
    try await self.waiting { care, aspirin, vitamin in
      for time in ["08:00", "08:31", "08:20"] { try await care.at(time) }
      try await care.give(aspirin)
      #expect(try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet", "Care plan, 08:00\nVitamin 1 tablet"])
    }
  }

  @Test func `a message about what several reminders missed leaves out one that a person has removed`() async throws {
    try await self.waiting { care, _, _ in
      try await care.add("Drops", "9:00")
      try await care.at("14:00")
      let drops = try #require(
        try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders.first { $0.title.contains("Drops") })
      try await care.at("14:01")
      _ = try await care.ask(RemoveReminderRequest.with { $0.id = drops.id })
      try await care.at("14:02")
      #expect(
        try await self.said(care) == [
          "Care plan, 07:50\nTea 1 tablet", "Care plan, missed\n08:00 Aspirin 1 tablet\n08:00 Vitamin 1 tablet",
        ])
    }
  }

  @Test(arguments: [1, 2])
  func `what was missed is told when an answer is taken back while the message waits`(answers: Int) async throws {
    try await self.waiting { care, aspirin, _ in
      let drops = try await care.add("Drops", "9:00")
      try await care.at("14:00")
      var doses: [Dose] = []
      for item in [aspirin, drops].prefix(answers) {
        doses.append(
          try await care.ask(
            GiveRequest.with {
              ($0.itemID, $0.recorder) = (item.id, "Taro")
              $0.occurredAt = .init(nanosecondsSince1970: (try? PlanReminderTests.Care.instant("13:50")) ?? 0)
            }
          ).dose)
      }
      try await care.at("14:01")
      for dose in doses { _ = try await care.ask(UndoDoseRequest.with { $0.id = dose.id }) }
      try await care.at("14:02")
      // There is time to answer again.
      #expect(try await care.due.flatMap(\.open).map(\.name) == Array(["Aspirin", "Drops"].prefix(answers)))
      let rest = "Care plan, missed\n08:00 Vitamin 1 tablet" + (answers == 1 ? "\n09:00 Drops 1 tablet" : "")
      #expect(try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet", rest])
      try await care.at("17:00")
      let again = "Care plan, missed\n08:00 Aspirin 1 tablet" + (answers == 1 ? "" : "\n09:00 Drops 1 tablet")
      #expect(try await care.said() == [again])
    }
  }

  @Test func `a message of which nothing is left is told when the answer is taken back`() async throws {
    try await self.waiting { care, _, vitamin in
      for time in ["08:00", "08:31"] { try await care.at(time) }
      _ = try await self.said(care)
      care.home.isHeld.withLock { $0 = true }
      try await care.add("Juice", "9:50") { $0.missedMinutes = 1440 }
      try await care.at("09:50")
      try await self.underWay(care, 1)
      try await care.at("10:01")
      let dose = try await care.ask(GiveRequest.with { ($0.itemID, $0.recorder) = (vitamin.id, "Taro") }).dose
      try await care.at("10:02")
      _ = try await care.ask(UndoDoseRequest.with { $0.id = dose.id })
      try await care.at("10:03")
      #expect(try await self.said(care) == ["Care plan, 09:50\nJuice 1 tablet"])
      try await care.at("12:04")
      #expect(try await care.said().contains("Care plan, missed\n08:00 Vitamin 1 tablet"))
    }
  }

  @Test func `a missed time that was delivered is not told again when another one is answered`() async throws {
    try await self.waiting { care, _, vitamin in
      try await care.add("Juice", "8:00") { $0.againMinutes = 1440 }
      for time in ["08:00", "08:31"] { try await care.at(time) }
      #expect(
        try await self.said(care).last == "Care plan, missed\n08:00 Aspirin 1 tablet")
      care.home.isHeld.withLock { $0 = true }
      try await care.add("Soup", "9:50") { $0.missedMinutes = 1440 }
      try await care.at("09:50")
      try await self.underWay(care, 1)
      try await care.at("10:01")
      try await care.give(vitamin)
      #expect(
        try await self.said(care) == ["Care plan, 09:50\nSoup 1 tablet", "Care plan, missed\n08:00 Juice 1 tablet"])
    }
  }

  @Test func `a message of the version before, which did not keep what it tells, says what is still missed`()
    async throws
  {
    try await self.waiting { care, aspirin, _ in
      try await care.add("Drops", "9:00")
      try await care.at("14:00")
      try await self.forgetWhatIsTold(care)
      try await care.at("14:01")
      try await care.give(aspirin, at: "13:50")
      #expect(
        try await self.said(care) == [
          "Care plan, 07:50\nTea 1 tablet", "Care plan, missed\n08:00 Vitamin 1 tablet\n09:00 Drops 1 tablet",
        ])
    }
  }

  @Test func `a message of the version before leaves to a new one what that says`() async throws {
    try await self.waiting { care, aspirin, _ in
      try await care.add("Juice", "8:00") { ($0.missedMinutes, $0.againMinutes) = (30, 1440) }
      for time in ["08:00", "08:31"] { try await care.at(time) }
      try await self.forgetWhatIsTold(care)
      // The vitamin is missed in the moment in which the aspirin is found to be given.
      try care.home.set("10:01", on: "2026-11-25")
      try await care.give(aspirin, at: "10:00")
      #expect(
        try await self.said(care).sorted() == [
          "Care plan, 07:50\nTea 1 tablet", "Care plan, missed\n08:00 Juice 1 tablet",
          "Care plan, missed\n08:00 Vitamin 1 tablet",
        ])
    }
  }

  /// Leaves messages about what was missed as older versions kept them.
  func forgetWhatIsTold(_ care: PlanReminderTests.Care) async throws {
    try await care.storage.write { transaction throws(Failure) in
      for var entry in try transaction.deliveries.openAboutMissed() {
        entry.missed = []
        try transaction.deliveries.put(entry, now: 1)
      }
    }
  }

  @Test func `what was missed is told, whatever becomes of the rest`() async throws {
    try await self.waiting { care, aspirin, vitamin in
      try await care.at("08:00")
      try await care.at("08:31")
      try await care.give(vitamin)
      #expect(
        try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet", "Care plan, missed\n08:00 Aspirin 1 tablet"])
    }
    try await self.waiting { care, aspirin, vitamin in
      try await care.at("11:00")
      try await care.give(aspirin, at: "10:50")
      #expect(
        try await self.said(care) == ["Care plan, 07:50\nTea 1 tablet", "Care plan, missed\n08:00 Vitamin 1 tablet"])
    }
  }
}
