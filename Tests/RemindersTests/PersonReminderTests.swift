import Bus
import EventLoop
import KithMessages
import Storage
import TestKit
import Testing

@testable import Reminders

/// Reminders kept with people come on their days.
@Suite(.timeLimit(.minutes(5))) struct PersonReminderTests {
  @Test func `what is kept with a person comes on its day, late within a week, once`() async throws {
    let home = try ReminderActorTests.Home(at: "2026-11-20T00:00:00Z")
    func keep(_ id: String, _ day: String, _ frequency: String, in storage: StorageActor) async throws {
      try await storage.write { transaction throws(Failure) in
        if try transaction.records.get(Person.self, "ann") == nil {
          var ann = Person()
          ann.id = "ann"
          ann.firstName = "Ann"
          ann.displayName = "Ann"
          _ = try transaction.records.create(ann, now: 1)
        }
        var reminder = PersonReminder()
        reminder.id = id
        reminder.personID = "ann"
        reminder.title = "Card"
        reminder.initialDate = day
        reminder.frequency = frequency
        reminder.every = 1
        _ = try transaction.records.create(reminder, now: 1)
      }
    }
    func due(_ actor: ReminderActor) async throws -> [String] {
      try await ReminderActorTests.ask(ReminderStatusRequest(), actor).due.map { "\($0.id) \($0.isLate ? "late" : "")" }
        .sorted()
    }
    try await home.run { actor, storage in
      var settings = ConfigureRemindersRequest()
      settings.settings.personTime = "00:00"
      _ = try await ReminderActorTests.ask(settings, actor)
      _ = try await ReminderActorTests.ask(ReminderActorTests.daily("23:59"), actor)
      try await keep("r1", "2020-11-23", "year", in: storage)
      try await keep("r2", "2026-11-19", "week", in: storage)
      try await actor.tick()
      #expect(try await due(actor) == [])
    }
    // Off for five days, which include the day of the first reminder and one day of the second.
    try home.set("2026-11-26T03:00:00Z")
    try await home.run { actor, _ in
      try await actor.tick()
      try await actor.tick()
      #expect(try await due(actor) == ["person:r1:2026-11-23 late", "person:r2:2026-11-26 "])
      // A reminder that is done needs no message, so both messages have to be sent first.
      try await until { home.shown.withLock { $0.count } >= 2 }
      var done = DoneReminderRequest()
      done.id = "person:r1:2026-11-23"
      _ = try await ReminderActorTests.ask(done, actor)
    }
    try await home.run { actor, _ in
      try await actor.tick()
      #expect(try await due(actor) == ["person:r2:2026-11-26 "])
    }
    #expect(home.shown.withLock { $0 } == ["Ann: Card", "Ann: Card"])
  }

  @Test func `what came while reminders of people were off does not come later`() async throws {
    let home = try ReminderActorTests.Home(at: "2026-11-20T00:00:00Z")
    func turn(_ isOff: Bool, _ actor: ReminderActor) async throws {
      var request = ConfigureRemindersRequest()
      request.settings.noPersonReminders = isOff
      request.settings.personTime = "00:00"
      request.fields = ["no_person_reminders", "person_time"]
      _ = try await ReminderActorTests.ask(request, actor)
    }
    try await home.run { actor, storage in
      try await turn(false, actor)
      _ = try await ReminderActorTests.ask(ReminderActorTests.daily("23:59"), actor)
      try await actor.tick()
      try await storage.write { transaction throws(Failure) in
        var ann = Person()
        ann.id = "ann"
        _ = try transaction.records.create(ann, now: 1)
        for day in ["2026-11-22", "2026-11-24", "2026-11-26"] {
          var reminder = PersonReminder()
          reminder.id = day
          reminder.personID = "ann"
          reminder.title = "Card"
          reminder.initialDate = day
          reminder.frequency = "year"
          _ = try transaction.records.create(reminder, now: 1)
        }
      }
      try await turn(true, actor)
      for day in 22...25 {
        try home.set("2026-11-\(day)T03:00:00Z")
        try await actor.tick()
      }
      try home.set("2026-11-26T03:00:00Z")
      try await actor.tick()
      try await turn(false, actor)
      try await actor.tick()
      // Today's reminder is still due.
      #expect(try await ReminderActorTests.ask(ReminderStatusRequest(), actor).due.map(\.day) == ["2026-11-26"])
    }
  }
}
