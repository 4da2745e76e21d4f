public import Bus
internal import GRDB
public import KithMessages

/// A record that was changed here and on the server. People have our ids on both sides.
public struct RecordConflict: Sendable {
  /// The record's row.
  public let row: Int64
  /// The record's id; also the queue entry's.
  public let id: String
  /// The record's kind.
  public let kind: RecordKind
  /// The name of its person, or the person's own name.
  public let personName: String
  /// The stored record, even if it is deleted.
  public let local: AnyRecord
  /// The last common version; nil if unknown.
  public let base: AnyRecord?
  /// The server's version; nil if the server has deleted it.
  public let server: AnyRecord?
  /// Whether it is deleted here.
  public let isDeletedHere: Bool
  /// When the conflict was found, in nanoseconds since 1970.
  public let foundAt: Int64
}

extension OutboxTable {
  /// A page of conflicts, the oldest first.
  ///
  /// - Parameters:
  ///   - limit: How many conflicts: 0 = 50, more than 500 = 500.
  ///   - cursor: `nextCursor` of the page before; empty = the first page.
  /// - Throws: `FIELD_INVALID` for the cursor.
  public func conflicts(
    limit: UInt32 = 0, cursor: String = ""
  ) throws(Failure) -> (conflicts: [RecordConflict], nextCursor: String) {
    let limit = PageLimit.records(limit)
    let start: Int64 = cursor.isEmpty ? 0 : try PageCursor(text: cursor).row
    let account = try self.view.records.account
    let found = try self.view.attempt { database in
      try self.conflicts(
        database, "conflict.account = ? AND conflict.record > ? ORDER BY conflict.record LIMIT ?",
        [.integer(account), .integer(start), .integer(Int64(limit + 1))])
    }
    let page = Array(found.prefix(limit))
    return (page, found.count > limit ? PageCursor(key: "", row: page.last?.row ?? 0).text : "")
  }

  /// The conflict of a record.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` where there is none.
  public func conflict(of id: String) throws(Failure) -> RecordConflict {
    let row = try self.view.records.row(of: id)
    let found = try self.view.attempt { database in
      try row.map { try self.conflicts(database, "conflict.record = ?", [.integer($0)]) }?.first
    }
    guard let found else {
      throw .unknownRecord(
        id, "There is no conflict '\(id.prefix(64))'. `kith monica conflicts` lists them.")
    }
    return found
  }

  private func conflicts(
    _ database: Database, _ condition: String, _ values: [EngineValue]
  ) throws -> [RecordConflict] {
    var found: [(row: Int64, at: Int64, server: [UInt8]?)] = []
    try EngineStatement(
      database,
      """
      SELECT conflict.record, conflict.found_at, conflict.server FROM conflict
        CROSS JOIN record ON record.id = conflict.record AND record.state = \(RecordState.conflict.rawValue)
      WHERE \(condition)
      """
    ).forEach(values) { row in found.append((row.integer(0), row.integer(1), row.isNull(2) ? nil : row.blob(2))) }
    let stored = try RecordWriter(database: database).read(found.map(\.row))
    let shown = try RecordLoader(database: database).load(found.map(\.row))
    let records = Dictionary(uniqueKeysWithValues: stored.map { ($0.row, $0) })
    let names = try self.names(of: found.map(\.row), database)
    return try zip(found, shown).compactMap { entry, local in
      guard let record = records[entry.row] else { return nil }
      return RecordConflict(
        row: record.row, id: record.id, kind: record.kind, personName: names[record.row] ?? "", local: local,
        base: record.base,
        server: try entry.server.map {
          try StoredRecord.content(record.kind, $0, owner: record.content.record.personID)
        }, isDeletedHere: record.isDeleted, foundAt: entry.at)
    }
  }

  private func names(of rows: [Int64], _ database: Database) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    try EngineStatement(
      database,
      """
      SELECT record.id, coalesce(owner.name, record.name, '') FROM record
        LEFT JOIN record AS owner ON owner.id = record.owner WHERE record.id IN (SELECT value FROM json_each(?))
      """
    ).forEach([.text(ColumnValues.array(rows))]) { names[$0.integer(0)] = $0.text(1) }
    return names
  }
}

extension OutboxTable where View == Transaction {
  /// Settles a conflict.
  ///
  /// - Parameters:
  ///   - id: The record's.
  ///   - body: The new content; nil deletes the record. If the server's version differs, the change is queued; if the server has
  ///     deleted the record, the record and its children are created there again.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The queued change.
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN` where there is no conflict.
  public func resolve(_ id: String, as body: AnyRecord?, now: Int64) throws(Failure) -> [QueueEntry] {
    let conflict = try self.conflict(of: id)
    var changed = 0
    try self.change(conflict.row) { old, database in
      let records = try RecordKeeper(database: database).settle(old, server: conflict.server, as: body, now: now)
      changed = records.count
      return records
    }
    // This answer deleted more than ten records at once, a person with all that is the person's: somebody has deleted the person there.
    if conflict.server == nil, body == nil, changed > DeletionHold.mostGone, try self.countOfDeletions() == 0 {
      try self.view.accounts.endDeletionHold()
    }
    return try self.entries(of: [id])
  }

  /// Makes refused and waiting changes due. Changes in flight or in conflict stay as they are.
  ///
  /// - Parameter ids: Of the records; none = all.
  /// - Returns: The changes after that.
  public func retry(_ ids: [String], now: Int64) throws(Failure) -> [QueueEntry] {
    let rows = try self.rows(of: ids, in: [.pending, .failed])
    for row in rows {
      try self.change(row) { old, database in
        try database.run(
          "UPDATE outbox SET attempts = 0, next_attempt_at = ? WHERE record = ?", old.isRunning ? .null : .integer(now),
          .integer(row))
        try RecordKeeper(database: database).setState(.pending, of: row)
        return [old]
      }
    }
    return try self.entries(ofRows: rows)
  }

  /// Discards changes: their records get the server's version, and records that the server never had are deleted. Changes in flight
  /// stay.
  ///
  /// - Parameter ids: Of the records; nil = all.
  /// - Returns: The changes after that.
  public func clear(_ ids: [String]?, now: Int64) throws(Failure) -> [QueueEntry] {
    if let ids, ids.isEmpty { return [] }
    let rows = try self.rows(of: ids ?? [], in: [.pending, .failed, .conflict])
    for row in rows {
      try self.change(row) { old, database in try RecordKeeper(database: database).giveUp(old, now: now) }
    }
    return try self.entries(ofRows: rows)
  }

  /// The rows of records in some states, in the order in which their changes were queued.
  ///
  /// - Parameter ids: None = all.
  private func rows(of ids: [String], in states: [RecordState]) throws(Failure) -> [Int64] {
    let account = try self.view.records.account
    return try self.view.attempt { database in
      try database.all(
        """
        SELECT outbox.record FROM outbox CROSS JOIN record ON record.id = outbox.record
        WHERE outbox.account = :account AND record.state IN (SELECT value FROM json_each(:states))
        \(ids.isEmpty ? "" : "AND record.uuid IN (SELECT value FROM json_each(:ids))") ORDER BY outbox.seq
        """,
        named: [
          "account": .integer(account), "states": .text(ColumnValues.array(states.map { Int64($0.rawValue) })),
          "ids": .text(ColumnValues.array(ids)),
        ]
      ) { $0.integer(0) }
    }
  }

  private func entries(ofRows rows: [Int64]) throws(Failure) -> [QueueEntry] {
    let ids = try self.view.attempt { database in
      try rows.compactMap { row in
        try database.first("SELECT uuid FROM record WHERE id = ?", .integer(row)) { $0.text(0) }
      }
    }
    return try self.entries(of: ids)
  }
}
