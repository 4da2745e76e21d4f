import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct DeliveryTableTests {
  static func ntfy(_ name: String) -> Channel {
    var channel = Channel()
    channel.name = name
    channel.ntfy.topic = "care"
    return channel
  }

  static func message(_ text: String = "text", subject: String = "", reminder: String = "") -> OutgoingMessage {
    OutgoingMessage(
      kind: "test", title: "title", text: text, date: "", expiresAt: 1000, reminderID: reminder, subject: subject)
  }

  @Test func `a subject is said once on each channel`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (first, again, other) = try await storage.write { transaction throws(Failure) in
      let first = try transaction.deliveries.queue(Self.message(subject: "daily"), on: Self.ntfy("a"), now: 1)
      let again = try transaction.deliveries.queue(Self.message(subject: "daily"), on: Self.ntfy("a"), now: 2)
      let other = try transaction.deliveries.queue(Self.message(subject: "daily"), on: Self.ntfy("b"), now: 3)
      return (first, again, other)
    }
    #expect(first == again)
    #expect(first.map(\.id) != other.map(\.id))
    let heads = try await storage.read { view throws(Failure) in try view.deliveries.heads() }
    #expect(heads.map(\.channel) == ["a", "b"])
    await storage.close()
    withExtendedLifetime(temporary) {}
  }

  @Test func `channels take what they get in its order, and forget what arrived`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let text = String(repeating: "line of text\n", count: 700)
    let entries = try await storage.write { transaction throws(Failure) in
      try transaction.deliveries.queue(Self.message(text), on: Self.ntfy("a"), now: 1)
    }
    #expect(entries.map(\.part) == [1, 2, 3])
    for entry in entries {
      let head = try await storage.read { view throws(Failure) in try view.deliveries.heads() }
      #expect(head.map(\.id) == [entry.id])
      try await storage.write { transaction throws(Failure) in
        var entry = entry
        entry.state = "delivered"
        try transaction.deliveries.put(entry, now: 2)
      }
      #expect(try await storage.read { view throws(Failure) in try view.deliveries.notice(of: entry.id) } == nil)
    }
    var request = ListDeliveriesRequest()
    request.limit = 2
    let page = try await storage.read { [request] view throws(Failure) in try view.deliveries.page(request) }
    #expect(page.deliveries.map(\.id) == [entries[2].id, entries[1].id])
    request.cursor = page.nextCursor
    let rest = try await storage.read { [request] view throws(Failure) in try view.deliveries.page(request) }
    #expect(rest.deliveries.map(\.id) == [entries[0].id])
    #expect(rest.nextCursor.isEmpty)
    // A month later the next message removes them.
    _ = try await storage.write { transaction throws(Failure) in
      try transaction.deliveries.queue(Self.message(), on: Self.ntfy("a"), now: 31 * 86_400_000_000_000)
    }
    let left = try await storage.read { view throws(Failure) in try view.deliveries.page(ListDeliveriesRequest()) }
    #expect(left.deliveries.count == 1)
    await storage.close()
    withExtendedLifetime(temporary) {}
  }

  @Test(arguments: ["delivered", "discarded", "failed"])
  func `what a message tells as missed is kept as long as it can be sent`(state: String) async throws {
    let temporary = TemporaryStore()
    defer { withExtendedLifetime(temporary) {} }
    let storage = try temporary.open()
    let kept = try await storage.write { transaction throws(Failure) in
      var message = Self.message(reminder: "plan:1")
      (message.missedOf, message.missed) = (["plan:1"], [RemindedTime.with { $0.name = "Aspirin" }])
      var entry = try transaction.deliveries.queue(message, on: Self.ntfy("a"), now: 1)[0]
      entry.state = state
      try transaction.deliveries.put(entry, now: 2)
      return try transaction.deliveries.require(entry.id)
    }
    #expect(kept.missed.map(\.name) == (state == "failed" ? ["Aspirin"] : []))
    #expect(kept.missedOf == ["plan:1"])
    await storage.close()
  }

  @Test func `a page fits into a message, however much was said`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let ids = try await storage.write { transaction throws(Failure) in
      var ids: [String] = []
      for number in 0..<200 {
        let entries = try transaction.deliveries.queue(Self.message(), on: Self.ntfy("a"), now: Int64(number))
        for var entry in entries {
          entry.state = "failed"
          entry.error = Failure(.invalidArgument, "CHANNEL_REFUSED", String(repeating: "x", count: 1000)).status
          try transaction.deliveries.put(entry, now: Int64(number))
          ids.append(entry.id)
        }
      }
      return ids
    }
    var (found, request) = ([String](), ListDeliveriesRequest())
    request.limit = 500
    repeat {
      let page = try await storage.read { [request] view throws(Failure) in try view.deliveries.page(request) }
      #expect(try Encoding.json.encode(page).count < 250_000)
      found += page.deliveries.map(\.id)
      request.cursor = page.nextCursor
    } while !request.cursor.isEmpty
    #expect(found == ids.reversed())
    await storage.close()
    withExtendedLifetime(temporary) {}
  }

  @Test func `what nobody would read is refused, and nothing of it is queued`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let failure = await #expect(throws: Failure.self) {
      try await storage.write { transaction throws(Failure) in
        try transaction.deliveries.queue(
          Self.message(String(repeating: "x", count: 100_000)), on: Self.ntfy("a"), now: 1)
      }
    }
    #expect(failure?.reason == "TOO_LONG_FOR_CHANNEL")
    #expect(try await storage.read { view throws(Failure) in try view.deliveries.heads() } == [])
    await storage.close()
    withExtendedLifetime(temporary) {}
  }

  @Test func `what a reminder asked for is given up with it`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      var reminder = Reminder()
      reminder.id = "daily:2026-11-20"
      reminder.kind = "daily"
      reminder.day = "2026-11-20"
      reminder.state = "due"
      try transaction.reminders.put(reminder)
      try transaction.deliveries.queue(Self.message(reminder: reminder.id), on: Self.ntfy("a"), now: 1)
      try transaction.deliveries.queue(Self.message(), on: Self.ntfy("b"), now: 1)
      reminder.state = "done"
      try transaction.reminders.put(reminder)
    }
    let entries = try await storage.read { view throws(Failure) in
      try view.deliveries.page(ListDeliveriesRequest()).deliveries
    }
    #expect(entries.map(\.state) == ["pending", "discarded"])
    await storage.close()
    withExtendedLifetime(temporary) {}
  }
}
