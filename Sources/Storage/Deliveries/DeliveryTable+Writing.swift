public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension DeliveryTable where View == Transaction {
  /// How long is kept what arrived, failed or was discarded: 30 days, in nanoseconds.
  private static var kept: Int64 { 30 * 86_400_000_000_000 }

  /// Queues a message for a channel, in as many deliveries as the channel needs for it.
  ///
  /// - Returns: The deliveries; those of before, when the message's subject was queued already.
  /// - Throws: `FAILED_PRECONDITION/TOO_LONG_FOR_CHANNEL`.
  @discardableResult
  public func queue(_ message: OutgoingMessage, on channel: Channel, now: Int64) throws(Failure) -> [DeliveryEntry] {
    let capacity = ChannelCapacity(channel)
    // Before it is divided: what is far too long would keep the writer busy.
    guard capacity.count(message.text) <= capacity.size * capacity.textsPerMessage * ChannelCapacity.messages else {
      throw Self.tooLong(for: channel)
    }
    let texts = TextParts(message.text, capacity).texts
    let groups = stride(from: 0, to: texts.count, by: capacity.textsPerMessage).map {
      Array(texts[$0..<min($0 + capacity.textsPerMessage, texts.count)])
    }
    guard groups.count <= ChannelCapacity.messages else { throw Self.tooLong(for: channel) }
    try self.forgetOld(now: now)
    var entries: [DeliveryEntry] = []
    for (index, group) in groups.enumerated() {
      var entry = DeliveryEntry()
      entry.id = UUIDv7.make().text
      entry.channel = channel.name
      entry.kind = message.kind
      entry.title = message.title
      entry.state = "pending"
      entry.reminderID = message.reminderID
      entry.part = UInt32(index + 1)
      entry.parts = UInt32(groups.count)
      entry.createdAt = .init(nanosecondsSince1970: now)
      entry.nextAttemptAt = entry.createdAt
      entry.expiresAt = .init(nanosecondsSince1970: message.expiresAt)
      var notice = Notice()
      notice.kind = message.kind
      notice.title = message.title
      notice.texts = group
      notice.date = message.date
      notice.createdAt = entry.createdAt
      let subject = message.subject.isEmpty ? nil : "\(message.subject) \(channel.name) \(index)"
      entries.append(try self.insert(entry, notice, subject: subject, now: now))
    }
    return entries
  }

  private static func tooLong(for channel: Channel) -> Failure {
    Failure(
      .failedPrecondition, "TOO_LONG_FOR_CHANNEL",
      "This text would be more than \(ChannelCapacity.messages) messages on '\(channel.name)'. "
        + "Send it by mail, or write it to a file.", details: ["channel": channel.name])
  }

  private func insert(
    _ entry: DeliveryEntry, _ notice: Notice, subject: String?, now: Int64
  ) throws(Failure) -> DeliveryEntry {
    if let subject, let known = try self.entries("WHERE subject = ?", [subject]).first { return known }
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO delivery (uuid, subject, reminder, channel, state, changed_at, body, notice)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
      ).run([
        .text(entry.id), subject.map { .text($0) } ?? .null, .text(entry.reminderID), .text(entry.channel),
        .text(entry.state), .integer(now), .blob(try entry.serializedBytes()), .blob(try notice.serializedBytes()),
      ])
    }
    try self.announce(entry)
    return entry
  }

  /// Writes a delivery in the place of what it was, and says so on the stream of reminders.
  ///
  /// What it says is forgotten as soon as nobody can want it sent again.
  public func put(_ entry: DeliveryEntry, now: Int64) throws(Failure) {
    let isOver = ["delivered", "discarded"].contains(entry.state)
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        UPDATE delivery SET state = ?, changed_at = ?, body = ?, notice = CASE WHEN ? THEN NULL ELSE notice END
        WHERE uuid = ?
        """
      ).run([
        .text(entry.state), .integer(now), .blob(try entry.serializedBytes()), .integer(isOver ? 1 : 0),
        .text(entry.id),
      ])
    }
    try self.announce(entry)
  }

  /// Gives up what waits about a reminder that somebody has dealt with. What is under way goes on.
  public func discardWaiting(about reminder: String, now: Int64) throws(Failure) {
    try self.discard(
      self.entries("WHERE reminder = ? AND reminder <> '' AND state = 'pending'", [reminder]), now: now)
  }

  /// Gives up what waits for a channel.
  ///
  /// - Returns: How many they were.
  public func discardWaiting(on channel: String, now: Int64) throws(Failure) -> Int {
    let waiting = try self.entries("WHERE channel = ? AND state IN ('pending', 'sending')", [channel])
    try self.discard(waiting, now: now)
    return waiting.count
  }

  private func discard(_ entries: [DeliveryEntry], now: Int64) throws(Failure) {
    for var entry in entries {
      entry.state = "discarded"
      entry.clearNextAttemptAt()
      try self.put(entry, now: now)
    }
  }

  private func forgetOld(now: Int64) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        DELETE FROM delivery WHERE id IN (
          SELECT id FROM delivery WHERE state NOT IN ('pending', 'sending') AND changed_at < ? LIMIT 100)
        """
      ).run([.integer(now - Self.kept)])
    }
  }

  private func announce(_ entry: DeliveryEntry) throws(Failure) {
    var event = Event()
    event.delivery.deliveryID = entry.id
    event.delivery.channel = entry.channel
    event.delivery.state = entry.state
    event.delivery.attempts = entry.attempts
    try self.view.emit(
      event, on: EventStream.reminders.name, key: "delivery:\(entry.id)",
      tombstone: ["delivered", "discarded"].contains(entry.state))
  }
}
