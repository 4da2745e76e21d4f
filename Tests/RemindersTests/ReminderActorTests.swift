import Bus
import CivilTime
import EventLoop
import Foundation
import KithMessages
import Logging
import Secrets
import Storage
import TestKit
import Testing

@testable import Reminders

@Suite(.timeLimit(.minutes(5))) struct ReminderActorTests {
  /// An actor with its own store and a clock that a test sets.
  final class Home: Sendable {
    let directory: TemporaryDirectory
    let clock: Lock<Int64>
    let shown = Lock<[String]>([])
    /// The titles with the texts.
    let said = Lock<[String]>([])
    /// Keeps a message under way while it is true, and what then becomes of it.
    let (isHeld, failures) = (Lock(false), Lock<[Failure]>([]))
    private let actor = Lock<ReminderActor?>(nil)

    init(at text: String) throws {
      self.directory = try TemporaryDirectory()
      self.clock = Lock(try DailyScheduleTests.instant(text))
    }

    /// Waits until no delivery is running.
    private func settle(_ storage: StorageActor) async throws {
      try await until {
        try await storage.read { view throws(Failure) in try view.deliveries.heads() }.isEmpty
      }
    }

    func set(_ text: String) throws { try self.clock.withLock { $0 = try DailyScheduleTests.instant(text) } }

    func run<Value>(_ body: (ReminderActor, StorageActor) async throws -> Value) async throws -> Value {
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let storage = try StorageActor(directory: self.directory.file("state"), logger: logger) { events in
        self.actor.withLock { $0 }?.handle(events: events)
      }
      let port = CannedPort { command, _ async throws(Failure) in
        guard let request = command as? DeliverRequest else { throw .bug("no delivery") }
        try? await until { !self.isHeld.withLock { $0 } }
        if let failure = self.failures.withLock({ $0.popLast() }) { throw failure }
        self.shown.withLock { $0.append(request.notice.title) }
        self.said.withLock { $0.append(([request.notice.title] + request.notice.texts).joined(separator: "\n")) }
        return DeliverReply()
      }
      let actor = ReminderActor(
        storage: storage, delivery: port, secrets: SecretDirectory(path: self.directory.file("secrets")), alarm: nil,
        showsOnDesktop: true, logger: logger,
        nameOfPerson: { id async throws(Failure) in
          guard id == "ann" else { throw .unknownRecord(id, "There is no such person.") }
          return "Ann"
        }, now: { self.clock.withLock { $0 } }, sleep: { _ in })
      self.actor.withLock { $0 = actor }
      await actor.engine.look()
      let result: Result<Value, any Error>
      do { result = .success(try await body(actor, storage)) } catch { result = .failure(error) }
      try await self.settle(storage)
      self.actor.withLock { $0 = nil }
      await actor.stop()
      await storage.close()
      return try result.get()
    }
  }

  static func daily(_ time: String, onlyIfNothingRecorded: Bool = false) -> SetDailyReminderRequest {
    var request = SetDailyReminderRequest()
    request.enabled = true
    request.time = time
    request.timeZone = "Asia/Tokyo"
    request.onlyIfNothingRecorded = onlyIfNothingRecorded
    return request
  }

  /// Sends a command through the routes, as the hub does.
  static func ask<C: Command>(_ command: C, _ actor: ReminderActor) async throws -> C.Reply {
    try await LocalBatchPort(actor.routes, batches: []).ask(command)
  }

  @Test func `the daily reminder comes once, also across a restart`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      let daily = try await Self.ask(Self.daily("21:00"), actor)
      #expect(try daily.nextAt.nanosecondsSince1970 == DailyScheduleTests.instant("2026-11-20T12:00:00Z"))
      #expect(daily.delivery == "desktop")
      try await actor.tick()
      #expect(try await Self.ask(ReminderStatusRequest(), actor).due == [])
      try home.set("2026-11-20T12:00:01Z")
      try await actor.tick()
      try await actor.tick()
      let due = try await Self.ask(ReminderStatusRequest(), actor).due
      #expect(due.map(\.id) == ["daily:2026-11-20"])
      #expect(due.map(\.isLate) == [false])
    }
    try await home.run { actor, _ in
      try await actor.tick()
      let status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.due.count == 1)
      #expect(status.daily.lastOutcome == "delivered")
      #expect(try status.daily.nextAt.nanosecondsSince1970 == DailyScheduleTests.instant("2026-11-21T12:00:00Z"))
    }
    #expect(home.shown.withLock { $0 } == ["Care log"])
  }

  @Test func `a machine that was off reminds late once, and notes what it missed`() async throws {
    let home = try Home(at: "2026-11-18T11:00:00Z")
    try await home.run { actor, _ in _ = try await Self.ask(Self.daily("21:00"), actor) }
    try home.set("2026-11-20T13:10:00Z")
    try await home.run { actor, _ in
      try await actor.tick()
      let status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.due.map(\.isLate) == [true])
      #expect(status.daily.lastOutcome == "late")
      var past = ListRemindersRequest()
      past.past = true
      let missed = try await Self.ask(past, actor).reminders
      #expect(missed.map(\.id) == ["daily:2026-11-19", "daily:2026-11-18"])
      #expect(missed.allSatisfy { $0.state == "missed" })
    }
    #expect(home.shown.withLock { $0.count } == 1)
  }

  @Test func `it is not needed when something was recorded, and recording ends it`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, storage in
      _ = try await Self.ask(Self.daily("21:00", onlyIfNothingRecorded: true), actor)
      func record(_ id: String) async throws {
        var record = CareRecord()
        record.id = id
        record.occurredAt = .init(nanosecondsSince1970: home.clock.withLock { $0 })
        record.createdAt = record.occurredAt
        try await storage.write { [record] transaction throws(Failure) in try transaction.care.insert(record) }
      }
      try await record("a")
      try home.set("2026-11-20T12:00:00Z")
      try await actor.tick()
      var status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.due == [])
      #expect(status.daily.lastOutcome == "satisfied")
      try home.set("2026-11-21T12:00:00Z")
      try await actor.tick()
      #expect(try await Self.ask(ReminderStatusRequest(), actor).due.count == 1)
      // An older entry was corrected, or deleted.
      try await actor.acknowledgeRecording()
      #expect(try await Self.ask(ReminderStatusRequest(), actor).due.count == 1)
      try await record("b")
      try await actor.acknowledgeRecording()
      status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.due == [])
      #expect(status.daily.lastOutcome == "acknowledged")
    }
  }

  @Test func `a call is reminded of, snoozed three times and done`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      var request = AddCallReminderRequest()
      request.personID = "ann"
      request.inDays = 10
      request.timeZone = "Asia/Tokyo"
      let reminder = try await Self.ask(request, actor)
      #expect(try reminder.due.nanosecondsSince1970 == DailyScheduleTests.instant("2026-11-30T01:00:00Z"))
      #expect(reminder.title == "Ann")
      var snooze = SnoozeReminderRequest()
      snooze.id = reminder.id
      let early = await #expect(throws: Failure.self) { try await Self.ask(snooze, actor) }
      #expect(early?.reason == "NOT_DUE")
      try home.set("2026-11-30T01:00:00Z")
      try await actor.tick()
      for count in 1...3 {
        // A message that still waits is not sent after the call was put off.
        try await until { home.shown.withLock { $0.count } >= count }
        let snoozed = try await Self.ask(snooze, actor)
        #expect(snoozed.state == "snoozed")
        home.clock.withLock { $0 += 30 * 60_000_000_000 }
        try await actor.tick()
        #expect(try await Self.ask(ReminderStatusRequest(), actor).due.map(\.id) == [reminder.id])
      }
      let enough = await #expect(throws: Failure.self) { try await Self.ask(snooze, actor) }
      #expect(enough?.reason == "SNOOZED_ENOUGH")
      // Nor after it was made.
      try await until { home.shown.withLock { $0.count } >= 4 }
      var done = DoneReminderRequest()
      done.id = reminder.id
      #expect(try await Self.ask(done, actor).state == "done")
      #expect(try await Self.ask(ReminderStatusRequest(), actor).due == [])
    }
    #expect(home.shown.withLock { $0 } == Array(repeating: "Call Ann", count: 4))
  }

  @Test func `a reminder that is sent again when its day has passed is there once`() async throws {
    let home = try Home(at: "2026-11-20T09:00:00Z")
    try await home.run { actor, _ in
      var request = AddCallReminderRequest()
      request.personID = "ann"
      request.on = "2026-11-21"
      request.clientID = "phone-1"
      let first = try await Self.ask(request, actor)
      try home.set("2026-12-20T09:00:00Z")
      #expect(try await Self.ask(request, actor).id == first.id)
      request.clientID = "phone-2"
      let failure = await #expect(throws: Failure.self) { try await Self.ask(request, actor) }
      #expect(failure?.reason == "FIELD_INVALID")
    }
  }

  @Test func `what is wrong is named`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      var wrong = Self.daily("25:00")
      var failure = await #expect(throws: Failure.self) { try await Self.ask(wrong, actor) }
      #expect(failure?.status.details.keys.first == "time")
      wrong = Self.daily("21:00")
      wrong.timeZone = "Moon/Base"
      failure = await #expect(throws: Failure.self) { try await Self.ask(wrong, actor) }
      #expect(failure?.status.details.keys.first == "time_zone")
      for (days, on, field) in [
        (0, "", "in_days"), (3, "2026-12-01", "in_days"), (0, "2026-11-19", "on"), (0, "x", "on"),
        (3661, "", "in_days"), (0, "2036-12-01", "on"), (0, "9999-12-31", "on"), (0, "0001-01-01", "on"),
      ] {
        var call = AddCallReminderRequest()
        call.personID = "ann"
        call.inDays = UInt32(days)
        call.on = on
        failure = await #expect(throws: Failure.self) { try await Self.ask(call, actor) }
        #expect(failure?.status.details.keys.first == field)
      }
      var unknown = AddCallReminderRequest()
      unknown.personID = "bob"
      unknown.inDays = 1
      failure = await #expect(throws: Failure.self) { try await Self.ask(unknown, actor) }
      #expect(failure?.reason == "RECORD_UNKNOWN")
    }
  }

  @Test func `a page of reminders fits into a message, however long their notes are`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, storage in
      try await storage.write { transaction throws(Failure) in
        for number in 0..<200 {
          var reminder = Reminder()
          reminder.id = "r\(number)"
          reminder.kind = "call"
          reminder.state = number < 120 ? "due" : "waiting"
          reminder.note = String(repeating: "電", count: 500)
          reminder.due = .init(nanosecondsSince1970: Int64(number) * 1_000_000_000)
          try transaction.reminders.put(reminder)
        }
      }
      var list = ListRemindersRequest()
      list.limit = 500
      var ids: [String] = []
      repeat {
        let page = try await Self.ask(list, actor)
        #expect(try Encoding.json.encode(page).count < 250_000)
        ids += page.reminders.map(\.id)
        list.cursor = page.nextCursor
      } while !list.cursor.isEmpty
      #expect(ids == (0..<200).map { "r\($0)" })
      let status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(try Encoding.json.encode(status).count < 250_000 && status.due.first?.id == "r0")
      #expect(status.pending.first?.id == "r120")
    }
  }

  /// Hours forward and back, an hour of summer time, small steps of a time server; in seconds.
  private static let jumps: [Int64] = [9 * 3600, -9 * 3600, 3600, -3600, 300, -300, -2]

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a snoozed reminder comes again in its time, under a clock that jumps`(seed: UInt64) async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, storage in
      var random = SeededGenerator(seed: seed)
      try await storage.write { [now = home.clock.withLock(\.self)] transaction throws(Failure) in
        var reminder = Reminder()
        reminder.id = "r"
        reminder.kind = "call"
        reminder.state = "due"
        reminder.due = .init(nanosecondsSince1970: now)
        try transaction.reminders.put(reminder)
      }
      var snooze = SnoozeReminderRequest()
      snooze.id = "r"
      snooze.minutes = UInt32.random(in: 1...40, using: &random)
      _ = try await Self.ask(snooze, actor)
      // Minutes since the clock was last set.
      var (waited, isSet) = (0, false)
      while try await storage.read({ view throws(Failure) in try view.reminders.require("r").state }) == "snoozed" {
        try #require(waited <= Int(snooze.minutes))
        var step: Int64 = 60
        if Int.random(in: 0..<20, using: &random) == 0 {
          step = Self.jumps.randomElement(using: &random) ?? 0
          (waited, isSet) = (0, true)
        } else {
          waited += 1
        }
        home.clock.withLock { $0 += step * 1_000_000_000 }
        try await actor.tick()
      }
      #expect(isSet || waited == Int(snooze.minutes))
    }
  }

  @Test func `the daily reminder does not come again after midnight`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      _ = try await Self.ask(Self.daily("23:40"), actor)
      try home.set("2026-11-20T14:40:00Z")
      try await actor.tick()
      var snooze = SnoozeReminderRequest()
      snooze.id = "daily:2026-11-20"
      let failure = await #expect(throws: Failure.self) { try await Self.ask(snooze, actor) }
      #expect(failure?.reason == "TOO_LATE_TODAY")
      snooze.minutes = 10
      #expect(try await Self.ask(snooze, actor).state == "snoozed")
    }
  }

  @Test func `what nobody wants any more is over, also when it was snoozed`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      _ = try await Self.ask(Self.daily("21:00"), actor)
      try home.set("2026-11-20T12:00:00Z")
      try await actor.tick()
      var snooze = SnoozeReminderRequest()
      snooze.id = "daily:2026-11-20"
      _ = try await Self.ask(snooze, actor)
      #expect(try await !Self.ask(SetDailyReminderRequest(), actor).enabled)
      try home.set("2026-11-20T12:45:00Z")
      try await actor.tick()
      let status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.due == [] && status.pending == [])
    }
  }

  @Test func `it goes over the channels of the settings, and says how that went`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    try await home.run { actor, _ in
      var add = AddChannelRequest()
      add.channel.name = "phone"
      add.channel.ntfy.topic = "care"
      _ = try await Self.ask(add, actor)
      var settings = ConfigureRemindersRequest()
      settings.settings.dailyChannels = ["phone"]
      _ = try await Self.ask(settings, actor)
      #expect(try await Self.ask(Self.daily("21:00"), actor).delivery == "phone, desktop")
      try home.set("2026-11-20T12:00:00Z")
      try await actor.tick()
      try await until {
        try await Self.ask(ReminderStatusRequest(), actor).daily.deliveries.allSatisfy { $0.state == "delivered" }
      }
      let status = try await Self.ask(ReminderStatusRequest(), actor)
      #expect(status.daily.deliveries.map(\.channel) == ["desktop", "phone"])
      #expect(status.due.first?.deliveries.count == 2)
      var wrong = ConfigureRemindersRequest()
      wrong.settings.callChannels = ["nowhere"]
      let failure = await #expect(throws: Failure.self) { try await Self.ask(wrong, actor) }
      #expect(failure?.reason == "RECORD_UNKNOWN")
    }
    #expect(home.shown.withLock { $0.count } == 2)
  }

  @Test func `a removal that is answered again leaves the secret of a new channel`() async throws {
    let home = try Home(at: "2026-11-20T11:00:00Z")
    let secrets = SecretDirectory(path: home.directory.file("secrets"))
    try await home.run { actor, _ in
      var add = AddChannelRequest()
      add.channel.name = "phone"
      add.channel.ntfy.topic = "care"
      add.secret = "first"
      _ = try await Self.ask(add, actor)
      var remove = RemoveChannelRequest()
      remove.name = "phone"
      var context = CallContext()
      context.ticket = CommandTicket(
        principal: "ann", key: "k", requestID: context.requestID, method: RemoveChannelRequest.method, fingerprint: [1])
      let port = LocalBatchPort(actor.routes, batches: [])
      #expect(try await !port.call(remove, context).isReplayed)
      #expect(try await secrets.secret(named: "channel-phone") == nil)
      add.secret = "second"
      _ = try await Self.ask(add, actor)
      #expect(try await port.call(remove, context).isReplayed)
      #expect(try await secrets.secret(named: "channel-phone") == "second")
      remove.name = "phone"
      _ = try await Self.ask(remove, actor)
      // The state that a process leaves if it ends between removing the channel and deleting its secret.
      try await secrets.keep("left", named: "channel-phone")
      add.secret = ""
      _ = try await Self.ask(add, actor)
      #expect(try await secrets.secret(named: "channel-phone") == nil)
    }
  }
}
