import Bus
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

/// A daily reminder whose time is changed, or whose answer is found at a start.
extension ReminderActorTests {
  @Test func `a new time of today reminds again today, and what was done stays done`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      _ = try await Self.ask(Self.daily("21:00"), actor)
      try home.set("2026-11-20T12:00:01Z")
      try await actor.tick()
      // One that is done before its message was sent is not told any more.
      try await until { home.shown.withLock { $0.count } == 1 }
      _ = try await Self.ask(DoneReminderRequest.with { $0.id = "daily:2026-11-20" }, actor)
      let daily = try await Self.ask(Self.daily("22:00"), actor)
      #expect(try daily.nextAt.nanosecondsSince1970 == DailyScheduleTests.instant("2026-11-20T13:00:00Z"))
      try home.set("2026-11-20T13:00:01Z")
      try await actor.tick()
      let status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.due.map(\.id) == ["daily:2026-11-20:22:00"])
      #expect(try status.daily.nextAt.nanosecondsSince1970 == DailyScheduleTests.instant("2026-11-21T13:00:00Z"))
      let past = try await Self.ask(ListRemindersRequest.with { $0.past = true }, actor).reminders
      #expect(past.map(\.id) == ["daily:2026-11-20"] && past.map(\.state) == ["done"])
    }
    #expect(home.shown.withLock { $0.count } == 2)
  }

  @Test func `a message that waits is not sent after a start when care was recorded before the process ended`()
    async throws
  {
    let house = try PlanHistoryTests.House(at: try DailyScheduleTests.instant("2026-11-20T11:00:00Z"))
    _ = try await house.ask(Self.daily("21:00"))
    house.clock.withLock { $0 += 3_600_000_000_000 }
    try await house.actor.tick()
    var record = CareRecord()
    record.id = "a"
    record.occurredAt = .init(nanosecondsSince1970: house.now)
    record.createdAt = record.occurredAt
    try await house.storage.write { [record] transaction throws(Failure) in try transaction.care.insert(record) }
    try await house.restart()
    await house.actor.start()
    var states: [String] = []
    try await until {
      states = try await house.storage.read { view throws(Failure) in
        try view.deliveries.page(ListDeliveriesRequest()).deliveries.map(\.state)
      }
      return !states.contains { ["pending", "sending"].contains($0) }
    }
    #expect(states == ["discarded"])
    #expect(try await house.ask(ReminderStatusRequest()).due == [])
    await house.close()
  }
}
