import Bus
import EventLoop
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

/// A daily reminder whose time is changed.
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
}
