public import Bus
internal import GRDB
public import KithMessages
internal import SwiftProtobuf

/// The progress of queued changes. Times are in nanoseconds since 1970.
extension OutboxTable where View == Transaction {
  /// Marks changes as in flight. Changes that cannot be sent any more, or have to wait for another one, are left out.
  ///
  /// - Returns: The changes to send. They are stored as sent until their outcome is known.
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

  /// Stores that the server has deleted a record, or did not have it. The record stays in the trash.
  public func deleted(_ row: Int64, now: Int64) throws(Failure) {
    try self.change(row) { old, database in
      try self.settle(row, database)
      var old = old
      old.state = .pending
      old.isDeletedThere = true
      return try RecordKeeper(database: database).forgetServer(old, now: now)
    }
  }

  /// Stores that an attempt failed.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - nextAttemptAt: When to retry; nil if a person has to retry it or edit the record.
  ///   - isUnsure: Whether this attempt or an earlier one may have arrived; false only if the server certainly has nothing of it.
  ///   - isOpen: Whether a worker may still run the attempt, so that the attempt is continued and not made again.
  ///   - busyUntil: Until when the server may still run the request; it is not sent again before that. nil if it does not run.
  public func failed(
    _ row: Int64, error: Status, nextAttemptAt: Int64?, isUnsure: Bool, isOpen: Bool = false, busyUntil: Int64? = nil,
    now: Int64
  ) throws(Failure) {
    try self.change(row) { old, database in
      let waiting = try OutboxRows(database: database).find(row)
      // An edit resets the count: the failed content is not the queued content any more.
      let wasEdited = waiting?.attempts == 0
      // An attempt to create was continued after the record was deleted here. Its refusal says nothing about the deletion.
      let isOther = waiting.map { ($0.attempted ?? $0.operation) != $0.operation } ?? false
      let wasOther = isOther && nextAttemptAt == nil && !isOpen
      if !isUnsure { try self.settle(row, database) }
      if let busyUntil { try self.hold(row, until: busyUntil, database) }
      if !isOpen { try self.close(row, database) }
      // It was parted from its id meanwhile, and a person decides.
      guard old.state != .conflict else { return [old] }
      let keeper = RecordKeeper(database: database)
      if waiting == nil || wasEdited || wasOther || (old.isDeleted && !old.isOnServer && !isUnsure) {
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

  /// Stores that the server has no place for a record, which is kept here alone until it changes.
  public func stays(_ row: Int64) throws(Failure) {
    try self.change(row) { old, database in
      try OutboxRows(database: database).remove(row)
      try RecordKeeper(database: database).setState(.here, of: row)
      return [old]
    }
  }

  /// Stores that the server has deleted the record of a change: a conflict, unless the record is deleted here too.
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

  /// Queues changes again that were in flight when the last process ended, or whose outcome could not be stored. They may have
  /// arrived.
  ///
  /// - Parameter busyUntil: Until when the server may still run their requests.
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

  /// Ends an attempt whose outcome is not known. The next one, at a time in nanoseconds since 1970, searches for it.
  func reopen(_ row: Int64, next: Int64, _ database: Database) throws {
    try self.close(row, database)
    try database.run("UPDATE outbox SET next_attempt_at = ? WHERE record = ?", .integer(next), .integer(row))
    try RecordKeeper(database: database).setState(.pending, of: row)
  }

  private func close(_ row: Int64, _ database: Database) throws {
    try database.run("UPDATE outbox SET attempt = NULL, attempted = NULL WHERE record = ?", .integer(row))
  }

  func settle(_ row: Int64, _ database: Database) throws { try OutboxRows(database: database).settle(row) }
}

extension RemoteRecord.OneOf_Record {
  /// The stored record, with the person of another one if it names none.
  func keepingOwner(of other: AnyRecord) -> AnyRecord {
    let owner = self.record.personID.isEmpty ? other.record.personID : self.record.personID
    var content = self.stripped
    content.edit { $0.personID = owner }
    return content
  }
}
