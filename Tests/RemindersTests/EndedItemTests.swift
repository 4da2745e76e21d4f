import Bus
import CarePlan
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

/// What is given of an item of the plan around and after its end.
@Suite(.timeLimit(.minutes(5))) struct EndedItemTests {
  @Test func `what is given long after the end is on its day`() async throws {
    try await PlanReminderTests().care { care in
      let aspirin = try await care.add("Aspirin", "8:00")
      _ = try await care.ask(EndPlanItemRequest.with { $0.id = aspirin.id })
      try await care.at("09:00", "2026-11-30")
      try await care.give(aspirin)
      let day = try await care.ask(PlanDayRequest())
      #expect(day.day == "2026-11-30" && day.others.map(\.itemName) == ["Aspirin"])
      #expect(day.others.first?.warnings.map(\.knownKind) == [.inactive])
      let dose = try #require(day.others.first?.id)
      _ = try await care.ask(UndoDoseRequest.with { $0.id = dose })
      #expect(try await care.ask(PlanDayRequest()).others.isEmpty)
    }
  }

  @Test func `what was recorded twice is told, and stays until a person saw it, also of an item that has ended`()
    async throws
  {
    try await PlanReminderTests().care { care in
      let (aspirin, tea) = (try await care.add("Aspirin", "8:00"), try await care.add("Tea", "8:00"))
      try await care.at("08:10")
      for item in [aspirin, tea] { try await care.give(item, at: "08:05") }
      try await care.give(aspirin, at: "08:10", by: "Hanako")
      #expect(try await care.due.count == 1)
      for item in [aspirin, tea] { _ = try await care.ask(EndPlanItemRequest.with { $0.id = item.id }) }
      try await care.at("08:20")
      #expect(try await care.due.map(\.knownKind) == [.double])
      // From a phone that was without a network.
      try await care.give(tea, at: "08:07", by: "Hanako")
      #expect(
        try await care.due.map(\.title).sorted() == [
          "Aspirin of 08:00 was recorded twice: 08:05 Taro, 08:10 Hanako",
          "Tea of 08:00 was recorded twice: 08:05 Taro, 08:07 Hanako",
        ])
      for reminder in try await care.due { _ = try await care.ask(DoneReminderRequest.with { $0.id = reminder.id }) }
      try await care.at("08:30")
      #expect(try await care.due == [])
    }
  }
}
