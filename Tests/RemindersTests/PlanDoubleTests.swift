import Bus
import CarePlan
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

/// What was recorded twice, and what comes at a minute whose reminder a person has removed.
@Suite(.timeLimit(.minutes(5))) struct PlanDoubleTests {
  @Test func `what was recorded twice stays until a person has seen it, however long that takes`() async throws {
    try await PlanReminderTests().care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      try await care.at("08:00")
      for (time, name) in [("08:00", "Taro"), ("08:10", "Hanako")] {
        try await care.at(time)
        try await care.give(aspirin, by: name)
      }
      func doubles() async throws -> [String] {
        try await care.due.filter { $0.knownKind == .double }.map(\.title)
      }
      let told = ["Aspirin of 08:00 was recorded twice: 08:00 Taro, 08:10 Hanako"]
      for day in ["2026-11-27", "2026-11-28", "2026-11-29", "2026-12-09"] {
        for time in ["07:59", "08:01", "08:15"] {
          try await care.at(time, day)
          #expect(try await doubles() == told, "\(day) \(time)")
        }
      }
      // Also then it ends when one of the two is taken back.
      let dose = try #require(try await care.ask(ListDosesRequest()).doses.last)
      _ = try await care.ask(UndoDoseRequest.with { $0.id = dose.id })
      try await care.at("08:16", "2026-12-09")
      #expect(try await doubles() == [])
    }
  }

  @Test func `two who gave something as needed and did not know of each other are told`() async throws {
    try await PlanReminderTests().care { care in
      let item = try await care.add("Paracetamol") { ($0.asNeeded, $0.leastMinutes) = (true, 240) }
      try await care.at("08:05")
      try await care.give(item)
      #expect(try await care.due == [])
      try await care.at("08:10")
      try await care.give(item, by: "Hanako")
      let text = "Paracetamol was recorded again too soon: 08:05 Taro, 08:10 Hanako"
      #expect(try await care.due.map(\.title) == [text])
      #expect(try await care.said() == ["Recorded twice\n\(text)"])
      // One who knows it is not told, and one who takes it back ends it.
      try await care.at("08:20")
      try await care.give(item, by: "Jiro", confirmed: true)
      #expect(try await care.due.count == 1)
      #expect(try await care.said() == [])
      let second = try #require(try await care.ask(ListDosesRequest()).doses.first { $0.recorder == "Hanako" })
      _ = try await care.ask(UndoDoseRequest.with { $0.id = second.id })
      try await care.at("08:21")
      #expect(try await care.due == [])
    }
  }

  @Test func `what comes at the minute of a reminder that was removed has one of its own`() async throws {
    try await PlanReminderTests().care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      let vitamin = try await care.add("Vitamin", "20:00")
      let tea = try await care.add("Tea", "21:00")
      func move(_ item: PlanItem) async throws {
        _ = try await care.ask(
          ChangePlanItemRequest.with {
            $0.item.id = item.id
            $0.item.times = [PlanTime.with { $0.time = "8:00" }]
          })
      }
      try await care.at("08:00")
      _ = try await care.said()
      let removed = try #require(try await care.due.first)
      _ = try await care.ask(RemoveReminderRequest.with { $0.id = removed.id })
      try await care.at("08:02")
      try await care.give(aspirin)
      try await move(vitamin)
      try await care.at("08:03")
      #expect(try await care.due.map(\.title) == ["Vitamin 1 tablet"])
      #expect(try await care.said() == ["Care plan, 08:00, late\nVitamin 1 tablet"])
      // A third one goes to the one that is open, and what is done there is done.
      try await move(tea)
      try await care.at("08:04")
      #expect(try await care.due.map(\.title) == ["Vitamin 1 tablet, Tea 1 tablet"])
      let open = try #require(try await care.due.first)
      #expect(open.id == removed.id + "-2")
      let done = try await care.ask(DoneReminderRequest.with { $0.id = open.id })
      #expect(done.knownState == .done && done.times.map(\.name) == ["Vitamin", "Tea"])
      try await care.at("11:00")
      #expect(try await care.due == [])
      #expect(try await care.ask(ListDosesRequest()).doses.count == 3)
      let past = try await care.ask(ListRemindersRequest.with { $0.past = true }).reminders
      #expect(Set(past.map(\.state)) == ["removed", "done"])
    }
  }
}
