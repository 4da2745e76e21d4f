public import Bus
internal import GRDB
public import KithMessages

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

  /// Reminders of the care plan. Items that are there already stay quiet: nobody has chosen to be reminded of them.
  static let planReminders = Migration(
    name: "plan_reminders",
    sql: """
      CREATE INDEX reminder_plan ON reminder (due) WHERE kind IN ('plan', 'double');
      """
  ) { database in
    for table in ["plan_item", "plan_version"] {
      try Self.repair(PlanItem.self, of: "body", in: table, database) { if !$0.asNeeded { $0.quiet = true } }
    }
  }
}

extension DatabaseView {
  /// The reminders.
  public var reminders: ReminderTable<Self> { ReminderTable(view: self) }
}

/// The daily reminder's settings, and all reminders.
public struct ReminderTable<View: DatabaseView> {
  let view: View

  private static var open: String { ReminderState.open.inSQL }
  private static var coming: String { "state \(Self.open) AND state <> '\(ReminderState.due.rawValue)'" }

  /// The settings of the daily reminder; disabled until they are set.
  public func daily() throws(Failure) -> DailyReminder {
    try self.dailySettings.first() ?? DailyReminder()
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
  public func get(_ id: String) throws(Failure) -> Reminder? { try self.messages.first("WHERE uuid = ?", [.text(id)]) }

  /// The settings of reminders; empty until they are set.
  public func settings() throws(Failure) -> ReminderSettings {
    try self.reminderSettings.first() ?? ReminderSettings()
  }

  /// The last day whose reminders of people were handled, as YYYY-MM-DD; empty at first.
  public func lastDayOfPersonReminders() throws(Failure) -> String {
    try self.view.attempt { database in
      try database.first("SELECT last_day FROM reminder_settings") { $0.text(0) } ?? ""
    }
  }

  /// The newest daily reminder.
  public func lastDaily() throws(Failure) -> Reminder? {
    try self.messages.first("WHERE subject IS NOT NULL ORDER BY subject DESC LIMIT 1")
  }

  /// The open daily reminders, snoozed ones included.
  public func openDaily() throws(Failure) -> [Reminder] {
    try self.messages.all(
      "WHERE state \(Self.open) AND kind = ? ORDER BY due, id", [.text(ReminderKind.daily.rawValue)])
  }

  /// The due reminders that were not dealt with, the oldest first; at most 50.
  public func due() throws(Failure) -> [Reminder] {
    try self.messages.all(
      "WHERE state \(Self.open) AND state = ? ORDER BY due, id LIMIT 50", [.text(ReminderState.due.rawValue)])
  }

  /// The coming reminders, the next first; at most 50.
  public func coming() throws(Failure) -> [Reminder] {
    try self.messages.all("WHERE \(Self.coming) ORDER BY due, id LIMIT 50")
  }

  /// The waiting and snoozed reminders whose time has come.
  public func ripe(at now: Int64) throws(Failure) -> [Reminder] {
    try self.messages.all(
      "WHERE \(Self.coming) AND due <= ? ORDER BY due, id LIMIT 500", [.integer(now)])
  }

  /// The snoozed reminders.
  public func snoozed() throws(Failure) -> [Reminder] {
    try self.messages.all(
      "WHERE state \(Self.open) AND state = ? ORDER BY due, id LIMIT 500", [.text(ReminderState.snoozed.rawValue)])
  }

  /// The reminders of the care plan that are open, or were due since a moment, the oldest first.
  ///
  /// - Parameter start: Nanoseconds since 1970.
  public func ofPlan(since start: Int64) throws(Failure) -> [Reminder] {
    let ofPlan = "SELECT id FROM reminder WHERE kind IN ('plan', 'double')"
    return try self.messages.all(
      "WHERE id IN (\(ofPlan) AND due >= ? UNION \(ofPlan) AND state \(Self.open)) ORDER BY due, id", [.integer(start)])
  }

  /// What some reminders name as missed, but those that a person has removed.
  public func missed(of reminders: [String]) throws(Failure) -> [RemindedTime] {
    var missed: [RemindedTime] = []
    for id in reminders {
      guard let reminder = try self.get(id), reminder.knownState != .removed else { continue }
      missed += reminder.times.filter { $0.knownState == .missed }
    }
    return missed
  }

  /// What some reminders have told as missed, as it was told, whatever became of it since.
  func toldMissed(by reminders: [String]) throws(Failure) -> [RemindedTime] {
    var told: [RemindedTime] = []
    for id in reminders {
      told += try self.get(id)?.times.filter(\.toldMissed).map(\.asTold) ?? []
    }
    return told
  }

  /// When the next reminder is due; nil if there is none.
  public func next() throws(Failure) -> Int64? {
    try self.view.attempt { database in
      try database.first("SELECT min(due) FROM reminder WHERE \(Self.coming)") { $0.isNull(0) ? nil : $0.integer(0) }
        ?? nil
    }
  }

  /// A page of reminders: open ones by due time, or past ones, newest first.
  ///
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(_ request: ListRemindersRequest) throws(Failure) -> ListRemindersReply {
    let limit = PageLimit.records(request.limit)
    let (order, beyond, states) = request.past ? ("DESC", "<", "NOT \(Self.open)") : ("ASC", ">", Self.open)
    let start = try PageCursor.numbered(request.cursor)
    let page = try self.messages.page(
      by: "due",
      """
      WHERE state \(states) AND (?1 = '' OR kind = ?1) AND (?2 IS NULL OR (due, id) \(beyond) (?2, ?3))
      ORDER BY due \(order), id \(order) LIMIT ?4
      """,
      [
        .text(request.kind), start.map { .integer($0.key) } ?? .null, .integer(start?.row ?? 0),
        .integer(Int64(limit + 1)),
      ], limit: limit)
    var reply = ListRemindersReply()
    reply.reminders = page.records
    reply.nextCursor = page.nextCursor
    return reply
  }

  private var messages: MessageTable<Reminder, View> { MessageTable(view: self.view, name: "reminder") }
  private var dailySettings: MessageTable<DailyReminder, View> {
    MessageTable(view: self.view, name: "daily_reminder")
  }
  private var reminderSettings: MessageTable<ReminderSettings, View> {
    MessageTable(view: self.view, name: "reminder_settings")
  }
}

extension ReminderTable where View == Transaction {
  /// Stores the settings of the daily reminder.
  public func setDaily(_ daily: DailyReminder) throws(Failure) {
    try self.dailySettings.put(daily, key: ["id": .integer(1)])
  }

  /// Stores the settings of reminders.
  public func configure(_ settings: ReminderSettings) throws(Failure) {
    try self.reminderSettings.put(settings, key: ["id": .integer(1)], initial: ["last_day": .text("")])
  }

  /// Stores the last day whose reminders of people were handled.
  public func setLastDayOfPersonReminders(_ day: String) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        """
        INSERT INTO reminder_settings (id, body, last_day) VALUES (1, x'', ?)
        ON CONFLICT (id) DO UPDATE SET last_day = excluded.last_day
        """, .text(day))
    }
  }

  /// Inserts or replaces a reminder and appends an event.
  ///
  /// - Parameter isNews: False if its state is as before: then there is no event.
  public func put(_ reminder: Reminder, isNews: Bool = true) throws(Failure) {
    let isOver = !ReminderState.open.contains { $0 == reminder.knownState }
    // A reminder that was dealt with, or put off, needs no message that waits.
    if reminder.knownState != .due {
      try self.view.deliveries.discardWaiting(about: reminder.id, now: reminder.updatedAt.nanosecondsSince1970)
    }
    let due = reminder.comesAt
    try self.messages.put(
      reminder, key: ["uuid": .text(reminder.id)],
      columns: ["state": .text(reminder.state), "due": .integer(due.nanosecondsSince1970)],
      initial: [
        "subject": reminder.knownKind == .daily ? .text(String(reminder.id.trimmingPrefix("daily:"))) : .null,
        "kind": .text(reminder.kind),
      ])
    guard isNews else { return }
    var event = Event()
    event.reminder.reminderID = reminder.id
    event.reminder.due = due
    event.reminder.state = reminder.state
    try self.view.emit(event, on: EventStream.reminders.name, key: reminder.id, tombstone: isOver)
  }
}

extension ReminderTable where View == Transaction {
  /// Notes that nobody was told of times that were missed, and are not any more.
  public func forgetMissed(_ times: [RemindedTime], of id: String) throws(Failure) {
    guard var reminder = try self.get(id), reminder.knownState != .removed else { return }
    let indices = reminder.times.indices.filter {
      let time = reminder.times[$0]
      return time.toldMissed && time.knownState != .missed && times.contains(time.asTold)
    }
    guard !indices.isEmpty else { return }
    for index in indices { reminder.times[index].toldMissed = false }
    try self.put(reminder, isNews: false)
  }
}

extension RemindedTime {
  /// As it was told as missed, before somebody answered.
  fileprivate var asTold: RemindedTime {
    var told = self
    told.knownState = .missed
    told.by = ""
    told.clearAt()
    return told
  }
}

extension ReminderState {
  /// The states of a reminder that still comes or is due, in the order that the indexes have.
  static let open: [ReminderState] = [.waiting, .snoozed, .due]
}
