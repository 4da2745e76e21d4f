public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// Channels, deliveries, and the settings of reminders.
  static let deliveries = Migration(
    name: "deliveries",
    sql: """
      CREATE TABLE channel (
        name TEXT NOT NULL PRIMARY KEY,
        body BLOB NOT NULL           -- a Channel message, without its secret
      ) STRICT, WITHOUT ROWID;

      -- body: a DeliveryEntry message. notice: a Notice message; NULL when nobody needs it any more. subject: what is said once
      -- at most. A channel takes what it gets in the order of ids.
      CREATE TABLE delivery (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        subject TEXT UNIQUE,
        reminder TEXT NOT NULL,
        channel TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'delivered', 'failed', 'unknown', 'discarded')),
        changed_at INTEGER NOT NULL,
        body BLOB NOT NULL,
        notice BLOB
      ) STRICT;
      CREATE INDEX delivery_open ON delivery (channel, id) WHERE state IN ('pending', 'sending');
      CREATE INDEX delivery_of_channel ON delivery (channel, id);
      CREATE INDEX delivery_of_reminder ON delivery (reminder, id) WHERE reminder <> '';
      CREATE INDEX delivery_over ON delivery (changed_at) WHERE state NOT IN ('pending', 'sending');

      CREATE TABLE reminder_settings (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body BLOB NOT NULL,          -- a ReminderSettings message
        last_day TEXT NOT NULL       -- YYYY-MM-DD: the last day whose reminders of people were dealt with
      ) STRICT;
      """)
}

extension DatabaseView {
  /// The deliveries.
  public var deliveries: DeliveryTable<Self> { DeliveryTable(view: self) }
}

/// The queue of deliveries to all channels, with the outcome of past ones.
public struct DeliveryTable<View: DatabaseView> {
  let view: View

  /// A delivery; nil if the id is unknown.
  public func get(_ id: String) throws(Failure) -> DeliveryEntry? {
    try self.messages.first("WHERE uuid = ?", [.text(id)])
  }

  /// A delivery that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> DeliveryEntry {
    guard let entry = try self.get(id) else {
      throw .unknownRecord(
        id, "There is no delivery '\(id.prefix(64))'. `kith channels deliveries` lists them.")
    }
    return entry
  }

  /// The content of a delivery; nil if it is no longer kept.
  public func notice(of id: String) throws(Failure) -> Notice? {
    try self.view.attempt { database in
      try database.first("SELECT notice FROM delivery WHERE uuid = ? AND notice IS NOT NULL", .text(id)) { $0.blob(0) }
        .map { try Notice(serializedBytes: $0) }
    }
  }

  /// The first open delivery of each channel. Its later ones wait for it.
  public func heads() throws(Failure) -> [DeliveryEntry] {
    try self.messages.all(
      "WHERE id IN (SELECT min(id) FROM delivery WHERE state \(DeliveryState.open.inSQL) GROUP BY channel) ORDER BY id")
  }

  /// The open deliveries about what reminders missed, in the order in which they were queued.
  public func openAboutMissed() throws(Failure) -> [DeliveryEntry] {
    var entries = try self.messages.all("WHERE state \(DeliveryState.open.inSQL) ORDER BY id")
      .filter { !$0.missedOf.isEmpty }
    // Older versions kept only which reminders they tell of.
    for index in entries.indices where entries[index].missed.isEmpty {
      entries[index].missed = try self.view.reminders.toldMissed(by: entries[index].missedOf)
    }
    return entries
  }

  /// The newest delivery of a channel.
  public func last(on channel: String) throws(Failure) -> DeliveryEntry? {
    try self.messages.first("WHERE channel = ? ORDER BY id DESC LIMIT 1", [.text(channel)])
  }

  /// The newest delivery of each channel about a reminder.
  public func newest(about reminder: String) throws(Failure) -> [DeliveryEntry] {
    try self.messages.all(
      "WHERE id IN (SELECT max(id) FROM delivery WHERE reminder = ? AND reminder <> '' GROUP BY channel) ORDER BY channel",
      [.text(reminder)])
  }

  /// The pending deliveries about a reminder, but those about what was missed: ``openAboutMissed()``.
  public func waiting(about reminder: String) throws(Failure) -> [DeliveryEntry] {
    try self.messages.all(
      "WHERE reminder = ? AND reminder <> '' AND state \(DeliveryState.open.inSQL)", [.text(reminder)]
    ).filter { $0.knownState == .pending && $0.missedOf.isEmpty }
  }

  /// A page of deliveries, newest first. It ends early if the reply would become too large.
  ///
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ request: ListDeliveriesRequest) throws(Failure) -> ListDeliveriesReply {
    let limit = PageLimit.records(request.limit)
    let start = request.cursor.isEmpty ? Int64.max : try PageCursor(text: request.cursor).row
    let page = try self.messages.page(
      by: "changed_at",
      "WHERE (?1 = '' OR channel = ?1) AND (?2 = '' OR state = ?2) AND id < ?3 ORDER BY id DESC LIMIT ?4",
      [.text(request.channel), .text(request.state), .integer(start), .integer(Int64(limit + 1))], limit: limit)
    var reply = ListDeliveriesReply()
    reply.deliveries = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  private var messages: MessageTable<DeliveryEntry, View> { MessageTable(view: self.view, name: "delivery") }
}

extension DeliveryTable where View == Transaction {
  /// How long closed deliveries are kept: 30 days, in nanoseconds.
  private static var kept: Int64 { 30 * 86_400_000_000_000 }

  /// Queues a message for a channel, split into as many deliveries as the channel's capacity needs.
  ///
  /// - Returns: The deliveries; the earlier ones if the message's subject is queued already.
  /// - Throws: `FAILED_PRECONDITION/TOO_LONG_FOR_CHANNEL`.
  @discardableResult
  public func queue(_ message: OutgoingMessage, on channel: Channel, now: Int64) throws(Failure) -> [DeliveryEntry] {
    let capacity = ChannelCapacity(channel)
    // Checked before splitting, because splitting a very long text would block the writer.
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
      entry.knownState = .pending
      entry.reminderID = message.reminderID
      (entry.missedOf, entry.missed) = (message.missedOf, message.missed)
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
    if let subject, let known = try self.messages.first("WHERE subject = ?", [.text(subject)]) { return known }
    try self.view.attempt { database in
      try database.run(
        """
        INSERT INTO delivery (uuid, subject, reminder, channel, state, changed_at, body, notice)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """, .text(entry.id), subject.map { .text($0) } ?? .null, .text(entry.reminderID), .text(entry.channel),
        .text(entry.state), .integer(now), .blob(try entry.serializedBytes()), .blob(try notice.serializedBytes()))
    }
    try self.announce(entry)
    return entry
  }

  /// Replaces a delivery and appends an event to the stream of reminders.
  ///
  /// The content, and what it tells as missed, are deleted once the delivery cannot be sent again.
  public func put(_ entry: DeliveryEntry, now: Int64) throws(Failure) {
    let isOver = entry.isOver
    var entry = entry
    if isOver { entry.missed = [] }
    try self.view.attempt { database in
      try database.run(
        """
        UPDATE delivery SET state = ?, changed_at = ?, body = ?, notice = CASE WHEN ? THEN NULL ELSE notice END
        WHERE uuid = ?
        """, .text(entry.state), .integer(now), .blob(try entry.serializedBytes()), .integer(isOver ? 1 : 0),
        .text(entry.id))
    }
    try self.announce(entry)
  }

  /// Discards the pending deliveries about a reminder that has changed, but those about what was missed. A delivery in flight goes on.
  ///
  /// - Returns: The channels of those that it discards, each once.
  @discardableResult
  public func discardWaiting(about reminder: String, now: Int64) throws(Failure) -> [String] {
    let waiting = try self.waiting(about: reminder)
    try self.discard(waiting, now: now)
    return Set(waiting.map(\.channel)).sorted()
  }

  /// Discards the open deliveries of a channel.
  ///
  /// - Returns: Their number.
  public func discardWaiting(on channel: String, now: Int64) throws(Failure) -> Int {
    let waiting = try self.messages.all(
      "WHERE channel = ? AND state \(DeliveryState.open.inSQL)", [.text(channel)])
    try self.discard(waiting, now: now)
    return waiting.count
  }

  private func discard(_ entries: [DeliveryEntry], now: Int64) throws(Failure) {
    for var entry in entries {
      entry.knownState = .discarded
      entry.clearNextAttemptAt()
      try self.put(entry, now: now)
    }
  }

  private func forgetOld(now: Int64) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        """
        DELETE FROM delivery WHERE id IN (
          SELECT id FROM delivery WHERE state NOT \(DeliveryState.open.inSQL) AND changed_at < ? LIMIT 100)
        """, .integer(now - Self.kept))
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
      tombstone: entry.isOver)
  }
}

extension DeliveryState {
  /// The states of a message that is still to be sent, in the order that the indexes have.
  static let open: [DeliveryState] = [.pending, .sending]
}

extension DeliveryEntry {
  /// Whether it is never sent again, not even at a person's request.
  fileprivate var isOver: Bool { self.knownState == .delivered || self.knownState == .discarded }
}
