public import Bus
internal import Foundation
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

extension Migration {
  /// The daily reminder's settings, and all reminders.
  static let reminders = Migration(
    name: "reminders",
    sql: """
      CREATE TABLE daily_reminder (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body BLOB NOT NULL           -- a DailyReminder message
      ) STRICT;

      -- body: a Reminder message. due: when it comes, or comes again. subject: what there is one reminder of at most: the day
      -- of the daily one.
      CREATE TABLE reminder (
        id INTEGER PRIMARY KEY,
        uuid TEXT NOT NULL UNIQUE,
        subject TEXT UNIQUE,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        due INTEGER NOT NULL,
        body BLOB NOT NULL
      ) STRICT;
      CREATE INDEX reminder_open ON reminder (due, id) WHERE state IN ('waiting', 'snoozed', 'due');
      CREATE INDEX reminder_past ON reminder (due, id) WHERE state NOT IN ('waiting', 'snoozed', 'due');
      """)
}

extension DatabaseView {
  /// The reminders.
  public var reminders: ReminderTable<Self> { ReminderTable(view: self) }
}

/// The daily reminder's settings, and all reminders.
public struct ReminderTable<View: DatabaseView> {
  let view: View

  /// The settings of the daily reminder; disabled until they are set.
  public func daily() throws(Failure) -> DailyReminder {
    try self.view.attempt { database in
      try Data.fetchOne(database.cachedStatement(sql: "SELECT body FROM daily_reminder"))
        .map { try DailyReminder(serializedBytes: [UInt8]($0)) } ?? DailyReminder()
    }
  }

  /// A reminder that must exist.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  public func require(_ id: String) throws(Failure) -> Reminder {
    guard let reminder = try self.get(id) else {
      throw .unknownRecord(id, "There is no reminder '\(id.prefix(64))'. `kith remind list` lists them.")
    }
    return reminder
  }

  /// A reminder; nil if the id is unknown.
  public func get(_ id: String) throws(Failure) -> Reminder? { try self.rows("WHERE uuid = ?", [id]).first }

  /// The settings of reminders; empty until they are set.
  public func settings() throws(Failure) -> ReminderSettings {
    try self.view.attempt { database in
      try Data.fetchOne(database.cachedStatement(sql: "SELECT body FROM reminder_settings"))
        .map { try ReminderSettings(serializedBytes: [UInt8]($0)) } ?? ReminderSettings()
    }
  }

  /// The last day whose reminders of people were handled, as YYYY-MM-DD; empty at first.
  public func lastDayOfPersonReminders() throws(Failure) -> String {
    try self.view.attempt { database in
      try String.fetchOne(database.cachedStatement(sql: "SELECT last_day FROM reminder_settings")) ?? ""
    }
  }

  /// The newest daily reminder.
  public func lastDaily() throws(Failure) -> Reminder? {
    try self.rows("WHERE subject IS NOT NULL ORDER BY subject DESC LIMIT 1", []).first
  }

  /// The open daily reminders, snoozed ones included.
  public func openDaily() throws(Failure) -> [Reminder] {
    try self.rows("WHERE state IN ('waiting', 'snoozed', 'due') AND kind = 'daily' ORDER BY due, id", [])
  }

  /// The due reminders that were not dealt with, the oldest first; at most 50.
  public func due() throws(Failure) -> [Reminder] {
    try self.rows("WHERE state IN ('waiting', 'snoozed', 'due') AND state = 'due' ORDER BY due, id LIMIT 50", [])
  }

  /// The coming reminders, the next first; at most 50.
  public func coming() throws(Failure) -> [Reminder] {
    try self.rows("WHERE state IN ('waiting', 'snoozed', 'due') AND state <> 'due' ORDER BY due, id LIMIT 50", [])
  }

  /// The waiting and snoozed reminders whose time has come.
  public func ripe(at now: Int64) throws(Failure) -> [Reminder] {
    try self.rows(
      """
      WHERE state IN ('waiting', 'snoozed', 'due') AND state <> 'due' AND due <= ? ORDER BY due, id LIMIT 500
      """, [now])
  }

  /// The snoozed reminders.
  public func snoozed() throws(Failure) -> [Reminder] {
    try self.rows("WHERE state IN ('waiting', 'snoozed', 'due') AND state = 'snoozed' ORDER BY due, id LIMIT 500", [])
  }

  /// When the next reminder is due; nil if there is none.
  public func next() throws(Failure) -> Int64? {
    try self.view.attempt { database in
      try Int64?.fetchOne(
        database.cachedStatement(
          sql: "SELECT min(due) FROM reminder WHERE state IN ('waiting', 'snoozed', 'due') AND state <> 'due'")) ?? nil
    }
  }

  /// A page of reminders: open ones by due time, or past ones, newest first.
  ///
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ request: ListRemindersRequest) throws(Failure) -> ListRemindersReply {
    let limit = PageLimit.records(request.limit)
    let (order, beyond, open) = request.past ? ("DESC", "<", "NOT IN") : ("ASC", ">", "IN")
    var start: (Int64, Int64)?
    if !request.cursor.isEmpty {
      let cursor = try PageCursor(text: request.cursor)
      guard let time = Int64(cursor.key) else {
        throw .invalid(field: "cursor", "is not the next_cursor of an earlier page. Begin again without one.")
      }
      start = (time, cursor.row)
    }
    return try self.view.attempt { database in
      var page = Page<Reminder>(limit: limit)
      let rows = try Row.fetchCursor(
        database.cachedStatement(
          sql: """
            SELECT body, due, id FROM reminder WHERE state \(open) ('waiting', 'snoozed', 'due')
              AND (?1 = '' OR kind = ?1) AND (?2 IS NULL OR (due, id) \(beyond) (?2, ?3))
            ORDER BY due \(order), id \(order) LIMIT ?4
            """), arguments: [request.kind, start?.0, start?.1, limit + 1])
      while let row = try rows.next() {
        let body: [UInt8] = [UInt8](row[0] as Data)
        guard page.hasRoom(for: body.count + 8) else { break }
        page.append(try Reminder(serializedBytes: body), at: PageCursor(key: "\(row[1] as Int64)", row: row[2]))
      }
      var reply = ListRemindersReply()
      reply.reminders = page.records
      reply.nextCursor = page.nextCursor
      return reply
    }
  }

  private func rows(_ condition: String, _ arguments: StatementArguments) throws(Failure) -> [Reminder] {
    try self.view.attempt { database in
      try Data.fetchAll(
        database.cachedStatement(sql: "SELECT body FROM reminder \(condition)"), arguments: arguments
      ).map { try Reminder(serializedBytes: [UInt8]($0)) }
    }
  }
}

extension ReminderTable where View == Transaction {
  /// Stores the settings of the daily reminder.
  public func setDaily(_ daily: DailyReminder) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        "INSERT INTO daily_reminder (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body"
      ).run([.blob(try daily.serializedBytes())])
    }
  }

  /// Stores the settings of reminders.
  public func configure(_ settings: ReminderSettings) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO reminder_settings (id, body, last_day) VALUES (1, ?, '')
        ON CONFLICT (id) DO UPDATE SET body = excluded.body
        """
      ).run([.blob(try settings.serializedBytes())])
    }
  }

  /// Stores the last day whose reminders of people were handled.
  public func setLastDayOfPersonReminders(_ day: String) throws(Failure) {
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO reminder_settings (id, body, last_day) VALUES (1, x'', ?)
        ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day
        """
      ).run([.text(day)])
    }
  }

  /// Inserts or replaces a reminder and appends an event.
  public func put(_ reminder: Reminder) throws(Failure) {
    let isOver = !["waiting", "snoozed", "due"].contains(reminder.state)
    // A reminder that was dealt with needs no more messages.
    if isOver {
      try self.view.deliveries.discardWaiting(about: reminder.id, now: reminder.updatedAt.nanosecondsSince1970)
    }
    let due = reminder.hasSnoozedUntil && reminder.state == "snoozed" ? reminder.snoozedUntil : reminder.due
    try self.view.attempt { database in
      try EngineStatement(
        database,
        """
        INSERT INTO reminder (uuid, subject, kind, state, due, body) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (uuid) DO UPDATE SET state = excluded.state, due = excluded.due, body = excluded.body
        """
      ).run([
        .text(reminder.id), reminder.kind == "daily" ? .text(reminder.day) : .null, .text(reminder.kind),
        .text(reminder.state), .integer(due.nanosecondsSince1970), .blob(try reminder.serializedBytes()),
      ])
    }
    var event = Event()
    event.reminder.reminderID = reminder.id
    event.reminder.due = due
    event.reminder.state = reminder.state
    try self.view.emit(event, on: EventStream.reminders.name, key: reminder.id, tombstone: isOver)
  }
}
