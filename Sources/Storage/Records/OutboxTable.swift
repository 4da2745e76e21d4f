public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// The queued changes of the account in use.
public struct OutboxTable<View: DatabaseView> {
  let view: View

  /// The changes that can be sent now, in the order in which they were queued.
  ///
  /// Leaves out changes that are in flight, failed or in conflict, those of a person who is not on the server yet (the person
  /// is sent first) or not any more (somebody decides on the person first), and those whose earlier request the server may still be running.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  public func due(now: Int64, limit: Int) throws(Failure) -> [OutboxEntry] {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      var rows: [Int64] = []
      try EngineStatement(
        database,
        """
        SELECT outbox.record FROM outbox CROSS JOIN record ON record.id = outbox.record
        WHERE outbox.account = ?1 AND +outbox.next_attempt_at NOT BETWEEN ?2 + 1 AND ?3
          AND coalesce(outbox.busy_until, 0) NOT BETWEEN ?2 + 1 AND ?4 AND \(Self.canGo) ORDER BY outbox.seq LIMIT ?5
        """
      ).forEach([
        .integer(account), .integer(now), .integer(Due.latest(at: now, atMost: OutboxEntry.longestWait)),
        .integer(Due.latest(at: now, atMost: OutboxEntry.longestHold)), .integer(Int64(limit)),
      ]) { rows.append($0.integer(0)) }
      return try self.entries(rows, database)
    }
  }

  /// When the next change is due, in nanoseconds since 1970; nil if no change waits for a time.
  public func nextDue(now: Int64) throws(Failure) -> Int64? {
    let account = try self.view.records.account
    let latest = Due.latest(at: now, atMost: OutboxEntry.longestWait)
    let latestHold = Due.latest(at: now, atMost: OutboxEntry.longestHold)
    return try self.view.attempt { database in
      let free = try database.first(
        """
        SELECT outbox.next_attempt_at FROM outbox CROSS JOIN record ON record.id = outbox.record
        WHERE outbox.account = ?1 AND outbox.next_attempt_at IS NOT NULL
          AND coalesce(outbox.busy_until, 0) NOT BETWEEN ?2 + 1 AND ?3 AND \(Self.canGo)
        ORDER BY outbox.next_attempt_at LIMIT 1
        """, .integer(account), .integer(now), .integer(latestHold)
      ) {
        Due(at: $0.integer(0), atMost: OutboxEntry.longestWait).moment(from: now)
      }
      let busy = try database.first(
        """
        SELECT min(max(iif(outbox.next_attempt_at > ?3, 0, outbox.next_attempt_at), outbox.busy_until))
        FROM outbox CROSS JOIN record ON record.id = outbox.record
        WHERE outbox.account = ?1 AND outbox.next_attempt_at IS NOT NULL
          AND outbox.busy_until BETWEEN ?2 + 1 AND ?4 AND \(Self.canGo)
        """, .integer(account), .integer(now), .integer(latest), .integer(latestHold)
      ) {
        $0.isNull(0) ? nil : $0.integer(0)
      }
      return [free, busy.flatMap(\.self)].compactMap(\.self).min()
    }
  }

  /// Until when the server may be running the request of the first change that is otherwise due; nil if none, or if it is longer
  /// than `patience`.
  ///
  /// - Parameters:
  ///   - now: Nanoseconds since 1970.
  ///   - patience: In nanoseconds.
  public func heldUntil(now: Int64, within patience: Int64) throws(Failure) -> Int64? {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      try database.first(
        """
        SELECT min(outbox.busy_until) FROM outbox CROSS JOIN record ON record.id = outbox.record
        WHERE outbox.account = ?1 AND outbox.next_attempt_at NOT BETWEEN ?2 + 1 AND ?3
          AND outbox.busy_until BETWEEN ?2 + 1 AND ?4 AND \(Self.canGo)
        """, .integer(account), .integer(now), .integer(Due.latest(at: now, atMost: OutboxEntry.longestWait)),
        .integer(now + patience)
      ) {
        $0.isNull(0) ? nil : $0.integer(0)
      }
    }.flatMap(\.self)
  }

  /// The queued change of a record; nil if there is none.
  public func entry(_ row: Int64) throws(Failure) -> OutboxEntry? {
    try self.view.attempt { try self.entries([row], $0).first }
  }

  /// A page of queued changes, in the order in which they were queued.
  ///
  /// - Parameters:
  ///   - limit: How many changes: 0 = 50, more than 500 = 500.
  ///   - cursor: `nextCursor` of the page before; empty = the first page.
  ///   - state: Only changes in this state; nil for all.
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func page(
    limit: UInt32 = 0, cursor: String = "", state: RecordState? = nil
  ) throws(Failure) -> (entries: [QueueEntry], nextCursor: String) {
    let limit = PageLimit.records(limit)
    let start: Int64 = cursor.isEmpty ? 0 : try PageCursor(text: cursor).row
    let account = try self.view.records.account
    var entries: [(seq: Int64, entry: QueueEntry)] = []
    try self.view.attempt { database in
      try EngineStatement(
        database,
        Self.selection(from: "outbox CROSS JOIN record ON record.id = outbox.record") + """
           WHERE outbox.account = ? AND outbox.seq > ?\(state == nil ? "" : " AND record.state = \(state?.rawValue ?? 0)")
          ORDER BY outbox.seq LIMIT ?
          """
      ).forEach([.integer(account), .integer(start), .integer(Int64(limit + 1))]) {
        entries.append(($0.integer(0), try Self.queueEntry(from: $0)))
      }
    }
    let page = entries.prefix(limit)
    let next = entries.count > limit ? PageCursor(key: "", row: page.last?.seq ?? 0).text : ""
    return (page.map(\.entry), next)
  }

  /// The changes of records as in ``page(limit:cursor:state:)``; a record without a queued change is shown as synced.
  public func entries(of ids: [String]) throws(Failure) -> [QueueEntry] {
    var found: [String: QueueEntry] = [:]
    try self.view.attempt { database in
      try EngineStatement(
        database,
        Self.selection(from: "record LEFT JOIN outbox ON outbox.record = record.id")
          + " WHERE record.uuid IN (SELECT value FROM json_each(?))"
      ).forEach([.text(ColumnValues.array(ids))]) { row in found[row.text(1)] = try Self.queueEntry(from: row) }
    }
    return ids.compactMap { found[$0] }
  }

  /// The number of changes in each state.
  public func counts() throws(Failure) -> OutboxCounts {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      var counts = OutboxCounts()
      try EngineStatement(
        database, "SELECT state, count(*) FROM record WHERE account = ? AND state <> 0 GROUP BY state"
      ).forEach([.integer(account)]) { row in
        let count = Int(row.integer(1))
        switch RecordState(rawValue: Int(row.integer(0))) {
        case .pending?: counts.pending = count
        case .syncing?: counts.syncing = count
        case .failed?: counts.failed = count
        case .conflict?: counts.conflicts = count
        case .synced?, .here?, nil: break
        }
      }
      return counts
    }
  }

  func entries(_ rows: [Int64], _ database: Database) throws -> [OutboxEntry] {
    var waiting: [Int64: OutboxRow] = [:]
    try EngineStatement(
      database, "SELECT \(OutboxRow.columns) FROM outbox WHERE record IN (SELECT value FROM json_each(?))"
    ).forEach([.text(ColumnValues.array(rows))]) { row in waiting[row.integer(0)] = try OutboxRow(from: row) }
    var entries: [Int64: OutboxEntry] = [:]
    for record in try RecordWriter(database: database).read(rows) {
      guard let row = waiting[record.row] else { continue }
      let names = RemoteNames(database: database, account: record.account)
      let sent = try row.sent.map {
        try StoredRecord.content(record.kind, $0, owner: record.content.record.personID)
      }
      let remote = try names.remote(record, saying: sent ?? record.content)
      // The server has deleted the person, and with the person everything that a worker may have created.
      let isMoot = remote.owner == 0 && !record.content.record.personID.isEmpty
      let attempted = isMoot ? nil : row.attempted
      let left = record.isOnServer ? nil : record.left
      let leftID = try left.map { UInt64(bitPattern: $0.id) }.flatMap { id in
        try RemoteLookup(database: database, account: record.account).find(record.kind, id) == nil ? id : nil
      }
      entries[record.row] = OutboxEntry(
        row: record.row, id: record.id, kind: record.kind, operation: attempted ?? row.operation,
        attempts: row.attempts,
        nextAttemptAt: row.nextAttemptAt, firstTriedAt: row.firstTriedAt, queuedAt: row.queuedAt,
        isUnsure: row.sent != nil, record: remote, base: try record.base.map { try names.remote(record, saying: $0) },
        attempt: attempted == nil ? nil : row.attempt,
        takenIDs: row.sent == nil ? [] : try self.takenIDs(record, database),
        madeAt: left?.madeAt ?? record.remoteMadeAt, leftID: leftID, error: row.error)
    }
    return rows.compactMap { entries[$0] }
  }

  /// The server's ids of other records of the kind that share a person and cannot be the result of this record's attempt, the newest
  /// first.
  ///
  /// Those that were made before this record are named, too: the search for an earlier attempt allows for clocks that differ. The server
  /// may name the people of an activity or a relationship in another order, and so give it another owner.
  private func takenIDs(_ record: StoredRecord, _ database: Database) throws -> [UInt64] {
    let others =
      record.content.people.isEmpty
      ? "SELECT id FROM record WHERE account = :account AND kind = :kind AND monica_id IS NOT NULL AND owner IS NULL"
      : """
      SELECT theirs.record FROM record_person AS ours
        CROSS JOIN record_person AS theirs ON theirs.person = ours.person AND theirs.kind = :kind
      WHERE ours.record = :row
      """
    // `+` keeps SQLite from reading all records of the kind.
    return try database.all(
      """
      SELECT monica_id FROM record WHERE +account = :account AND +kind = :kind AND monica_id IS NOT NULL AND id <> :row
        AND \(Self.isNoResult) AND id IN (\(others)) ORDER BY monica_id DESC LIMIT \(Self.mostTaken)
      """,
      named: [
        "account": .integer(record.account), "kind": .integer(Int64(record.kind.rawValue)), "row": .integer(record.row),
      ]
    ) { UInt64(bitPattern: $0.integer(0)) }
  }

  /// Whether a record cannot be the result of the creation of the record in row `:row`: it was made and sent here itself, or stored before.
  /// A record that a pull has added has the server's time, in whole seconds; of a relationship, which may have none, an edit here counts as its
  /// making.
  static var isNoResult: String { "((last_attempt_at IS NOT NULL AND created_at IS NOT remote_made) OR id < :row)" }

  /// The most ids that a request names.
  private static var mostTaken: Int { 5_000 }

  /// Whether a change may be sent beside those in flight. `?2` is the time.
  ///
  /// A record is sent after its person, never at the same time: the server could have deleted both by then. If the server
  /// has lost the person, the record waits for the decision on the person: the server may have given the person's id to another person.
  static var canGo: String {
    """
    record.state = \(RecordState.pending.rawValue) AND \(Self.namesAreThere) AND CASE outbox.operation
      WHEN 'delete' THEN record.kind <> \(RecordKind.person.rawValue) OR NOT EXISTS (
        SELECT 1 FROM record_person CROSS JOIN record AS other ON other.id = record_person.record
        WHERE record_person.person = record.id AND other.state = \(RecordState.syncing.rawValue))
      ELSE NOT EXISTS (
        SELECT 1 FROM record_person CROSS JOIN record AS person ON person.id = record_person.person
        WHERE record_person.record = record.id
          AND (person.state = \(RecordState.syncing.rawValue) OR \(Self.isAbsent))) END
      AND \(Self.isToldApart)
    """
  }

  /// Whether `person` is not on the server yet, or is lost there: then somebody has to decide.
  private static var isAbsent: String {
    """
    (person.monica_id IS NULL AND person.deleted_at IS NULL) OR (person.state = \(RecordState.conflict.rawValue)
      AND EXISTS (SELECT 1 FROM conflict WHERE conflict.record = person.id AND conflict.server IS NULL))
    """
  }

  /// Whether no other creation is in flight that the search for an earlier attempt could find instead of that attempt, or the other
  /// way round: two records of a person may say the same.
  private static var isToldApart: String {
    """
    (record.monica_id IS NOT NULL OR record.kind IN (\(Self.kindsWithOurID)) OR NOT EXISTS (
      SELECT 1 FROM record AS other CROSS JOIN outbox AS open ON open.record = other.id
      WHERE other.account = record.account AND other.state = \(RecordState.syncing.rawValue) AND other.state <> 0
        AND other.kind = record.kind AND other.monica_id IS NULL AND other.id <> record.id
        AND (other.owner IS record.owner OR record.kind IN (\(RecordKind.activity.rawValue), \(RecordKind.relationship.rawValue)))
        AND (outbox.sent IS NOT NULL OR open.first_tried_at <> other.last_attempt_at)))
    """
  }

  private static var kindsWithOurID: String {
    RecordKind.allCases.filter(\.keepsOurID).map { String($0.rawValue) }.joined(separator: ", ")
  }

  /// Whether no other change is creating, renaming or deleting anything that this change names. Two requests may not create the same
  /// name at once, because the server creates duplicates without an error.
  ///
  /// A person waits for the tags that it names. But a person whose earlier attempt may have arrived is sent before a tag is renamed:
  /// that attempt has the old name, from which the server would create a tag. A failed change waits for a person and blocks no tag.
  /// A conversation may create the type of its channel, a contact field or an activity its own type. So it waits for another one of
  /// that type that is in flight, or that a worker or the server may still be running. If workers may be running both, the first
  /// one is sent.
  private static var namesAreThere: String {
    """
    (outbox.operation = 'delete' OR CASE record.kind
      WHEN \(RecordKind.person.rawValue) THEN NOT EXISTS (
        SELECT 1 FROM record AS tag WHERE tag.account = record.account AND tag.state <> 0
          AND tag.state IN (\(RecordState.pending.rawValue), \(RecordState.syncing.rawValue))
          AND tag.kind = \(RecordKind.tag.rawValue) AND (outbox.sent IS NULL OR tag.monica_id IS NULL)
          AND EXISTS (SELECT 1 FROM record_label WHERE record_label.record = record.id AND label = tag.sort_key))
      WHEN \(RecordKind.tag.rawValue) THEN record.monica_id IS NULL OR NOT EXISTS (
        SELECT 1 FROM record_label CROSS JOIN outbox AS open ON open.record = record_label.record
        CROSS JOIN record AS person ON person.id = record_label.record
        WHERE record_label.account = record.account AND record_label.kind = \(RecordKind.person.rawValue)
          AND record_label.label = record.sort_key AND open.sent IS NOT NULL
          AND person.state IN (\(RecordState.pending.rawValue), \(RecordState.syncing.rawValue)))
      ELSE NOT EXISTS (
        SELECT 1 FROM outbox AS open CROSS JOIN record AS other ON other.id = open.record
        WHERE open.account = record.account AND (open.attempt IS NOT NULL OR open.busy_until IS NOT NULL)
          AND other.id <> record.id AND \(Self.typeTable("other.kind")) = \(Self.typeTable("record.kind"))
          AND (other.state = \(RecordState.syncing.rawValue)
            OR (open.attempt IS NOT NULL AND other.last_attempt_at > ?2 - \(OutboxEntry.longestHold)
              AND (outbox.attempt IS NULL OR open.seq < outbox.seq))
            OR open.busy_until BETWEEN ?2 + 1 AND ?2 + \(OutboxEntry.longestHold))
          AND EXISTS (
            SELECT 1 FROM record_label AS theirs CROSS JOIN record_label AS ours
              ON ours.record = record.id AND ours.label = theirs.label
            WHERE theirs.record = other.id))
      END)
    """
  }

  /// Which list of the server has the type of a record of a kind: conversations and contact fields share one; 0 = none.
  private static func typeTable(_ kind: String) -> String {
    "CASE \(kind) WHEN \(RecordKind.conversation.rawValue) THEN 1 WHEN \(RecordKind.contactField.rawValue) THEN 1 "
      + "WHEN \(RecordKind.activity.rawValue) THEN 2 ELSE NULL END"
  }

  private static func selection(from tables: String) -> String {
    """
    SELECT coalesce(outbox.seq, 0), record.uuid, record.kind, coalesce(outbox.operation, ''), record.state,
      coalesce(outbox.attempts, 0), max(outbox.next_attempt_at, coalesce(outbox.busy_until, 0)), outbox.error,
      coalesce(outbox.queued_at, 0), coalesce(owner.name, record.name, ''), awaited.uuid, coalesce(awaited.name, ''), awaited.state
    FROM \(tables) LEFT JOIN record AS owner ON owner.id = record.owner
      LEFT JOIN record AS awaited ON awaited.id = coalesce(
        \(Self.awaited(in: [.conflict])), \(Self.awaited(in: [.failed])), \(Self.awaited(in: [.pending, .syncing])))
    """
  }

  /// A person in one of these states for whom a change waits.
  private static func awaited(in states: [RecordState]) -> String {
    """
    (SELECT person.id FROM record_person CROSS JOIN record AS person ON person.id = record_person.person
      WHERE record_person.record = record.id AND record.state = \(RecordState.pending.rawValue)
        AND outbox.operation <> 'delete' AND (\(Self.isAbsent))
        AND person.state IN (\(states.map { String($0.rawValue) }.joined(separator: ", "))) LIMIT 1)
    """
  }

  private static func queueEntry(from row: EngineRow) throws -> QueueEntry {
    var entry = QueueEntry()
    entry.id = row.text(1)
    entry.entityID = entry.id
    entry.kind = RecordKind(rawValue: Int(row.integer(2)))?.name ?? ""
    entry.operation = row.text(3)
    entry.state = RecordState(rawValue: Int(row.integer(4)))?.name ?? ""
    entry.attempts = UInt32(truncatingIfNeeded: row.integer(5))
    if !row.isNull(6), row.isNull(10) { entry.nextAttemptAt = .init(nanosecondsSince1970: row.integer(6)) }
    if !row.isNull(7) { entry.error = try Status(serializedBytes: row.blob(7)) }
    if row.integer(8) != 0 { entry.queuedAt = .init(nanosecondsSince1970: row.integer(8)) }
    entry.personName = row.text(9)
    guard !row.isNull(10) else { return entry }
    entry.waitsFor.personID = row.text(10)
    entry.waitsFor.personName = row.text(11)
    entry.waitsFor.state = RecordState(rawValue: Int(row.integer(12)))?.name ?? ""
    return entry
  }
}

/// The number of changes in each state.
public struct OutboxCounts: Sendable, Hashable {
  /// Queued.
  public var pending = 0
  /// In flight.
  public var syncing = 0
  /// Refused by the server.
  public var failed = 0
  /// Changed on both sides.
  public var conflicts = 0

  /// All zero.
  public init() {}
}

extension SyncStatus {
  /// Shows how many changes wait for the server, were refused by it, and are conflicts.
  public mutating func set(_ counts: OutboxCounts) {
    self.pending = UInt32(clamping: counts.pending + counts.syncing)
    self.failed = UInt32(clamping: counts.failed)
    self.conflicts = UInt32(clamping: counts.conflicts)
  }
}
