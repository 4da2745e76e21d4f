public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// What waits for the server: what becomes of it. Times are in nanoseconds since 1970.
extension OutboxTable where View == Transaction {
  /// Notes that changes are sent now. Those that cannot go any more, or have to wait for one of the others, are left out.
  ///
  /// - Returns: What is to be sent: it is this that is kept until the outcome is known.
  public func begin(_ rows: [Int64], now: Int64) throws(Failure) -> [OutboxEntry] {
    try self.view.attempt { database in
      try rows.compactMap { row -> OutboxEntry? in
        let canGo = try database.first(
          """
          SELECT 1 FROM outbox CROSS JOIN record ON record.id = outbox.record WHERE outbox.record = ?1 AND \(Self.canGo)
          """, .integer(row), .integer(now)
        ) { _ in true }
        guard canGo == true, var entry = try self.entries([row], database).first,
          let record = try RecordWriter(database: database).read(row)
        else { return nil }
        let attempt = entry.attempt ?? UUIDv7.make().text
        entry.attempt = attempt
        try database.run(
          """
          UPDATE outbox SET attempts = attempts + 1, first_tried_at = coalesce(first_tried_at, ?), sent = coalesce(sent, ?),
            attempt = ?, attempted = ? WHERE record = ?
          """, .integer(now), .blob(try record.content.body), .text(attempt), .text(entry.operation.rawValue),
          .integer(row))
        try database.run(
          "UPDATE record SET state = ?, last_attempt_at = ? WHERE id = ?",
          .integer(Int64(RecordState.syncing.rawValue)), .integer(now), .integer(row))
        self.view.changed(record.kind, [record.id])
        return entry
      }
    }
  }

  /// Notes that a deletion is done on the server, or that it had no such record. The record stays, to be restored.
  public func deleted(_ row: Int64, now: Int64) throws(Failure) {
    try self.change(row) { old, database in
      try self.settle(row, database)
      var old = old
      old.state = .pending
      return try RecordKeeper(database: database).forgetServer(old, now: now)
    }
  }

  /// Notes that an attempt failed.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - nextAttemptAt: When to try again; nil = not before a person has looked, or has edited the record.
  ///   - isUnsure: Whether this attempt or an earlier one may have arrived all the same. Say false only when it is sure that
  ///     the server has nothing of it.
  ///   - isOpen: Whether a worker may go on with the attempt, so that it is asked for its outcome, and not made again.
  ///   - busyUntil: Until when the server may be at it: before that it does not go again, whatever is done with the
  ///     record or asked for; nil = it is not at it.
  public func failed(
    _ row: Int64, error: Status, nextAttemptAt: Int64?, isUnsure: Bool, isOpen: Bool = false, busyUntil: Int64? = nil,
    now: Int64
  ) throws(Failure) {
    try self.change(row) { old, database in
      // An edit begins to count anew: what failed is then no longer what waits.
      let wasEdited = try OutboxRows(database: database).find(row)?.attempts == 0
      if !isUnsure { try self.settle(row, database) }
      if let busyUntil { try self.hold(row, until: busyUntil, database) }
      if !isOpen {
        try database.run("UPDATE outbox SET attempt = NULL, attempted = NULL WHERE record = ?", .integer(row))
      }
      let keeper = RecordKeeper(database: database)
      if wasEdited || (old.isDeleted && !old.isOnServer && !isUnsure) {
        var record = old
        record.state = .pending
        try keeper.requeue(record, now: now)
      } else {
        try database.run(
          "UPDATE outbox SET error = ?, next_attempt_at = ? WHERE record = ?", .blob(try error.serializedBytes()),
          nextAttemptAt.map { .integer($0) } ?? .null, .integer(row))
        try keeper.setState(nextAttemptAt == nil ? .failed : .pending, of: row)
      }
      return [old]
    }
  }

  /// Notes that the server has deleted what a change was about: a person has to say whether it is made again, unless it was
  /// deleted here as well.
  public func gone(_ row: Int64, now: Int64) throws(Failure) {
    try self.change(row) { old, database in
      let keeper = RecordKeeper(database: database)
      guard old.isDeleted else {
        try keeper.conflict(old, server: nil, stamp: nil, now: now)
        return [old]
      }
      try self.settle(row, database)
      var record = old
      record.state = .pending
      return try keeper.forgetServer(record, now: now)
    }
  }

  /// Takes up what was under way when the last process ended, or when its outcome could not be stored: it waits again, and may
  /// have arrived.
  ///
  /// - Parameter busyUntil: Until when the server may be at it.
  public func settleInterrupted(busyUntil: Int64) throws(Failure) {
    let rows = try self.view.attempt { database in
      // The second condition is that of the index.
      try database.all(
        "SELECT id FROM record WHERE account IN (SELECT id FROM monica_account) AND state = ? AND state <> 0",
        .integer(Int64(RecordState.syncing.rawValue))
      ) { $0.integer(0) }
    }
    for row in rows {
      try self.change(row) { old, database in
        try self.hold(row, until: busyUntil, database)
        try RecordKeeper(database: database).setState(.pending, of: row)
        return [old]
      }
    }
  }

  private func hold(_ row: Int64, until: Int64, _ database: Database) throws {
    try database.run("UPDATE outbox SET busy_until = ? WHERE record = ?", .integer(until), .integer(row))
  }

  func change(
    _ row: Int64, _ work: (StoredRecord, Database) throws -> [StoredRecord]
  ) throws(Failure) {
    let changed = try self.view.attempt { database -> [StoredRecord] in
      guard let old = try RecordWriter(database: database).read(row) else { return [] }
      return try work(old, database)
    }
    self.view.records.tell(changed)
  }

  func settle(_ row: Int64, _ database: Database) throws { try OutboxRows(database: database).settle(row) }
}

extension RemoteRecord.OneOf_Record {
  /// The record as it is stored, belonging to the same person as another one where it does not say to whom.
  func keepingOwner(of other: AnyRecord) -> AnyRecord {
    let owner = self.record.personID.isEmpty ? other.record.personID : self.record.personID
    var content = self.stripped
    content.edit { $0.personID = owner }
    return content
  }
}
