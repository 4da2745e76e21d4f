internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// A row of `outbox`.
struct OutboxRow {
  /// The record's.
  let row: Int64
  let operation: OutboxOperation
  let attempts: Int
  /// Nanoseconds since 1970, as the other moments.
  let nextAttemptAt: Int64?
  let firstTriedAt: Int64?
  let queuedAt: Int64
  /// The body that is under way, or of which nobody knows whether it arrived.
  let sent: [UInt8]?
  let error: Status?
  /// The attempt whose outcome is not stored, and what it is to do.
  let attempt: String?
  let attempted: OutboxOperation?

  static let columns = """
    outbox.record, outbox.operation, outbox.attempts, outbox.next_attempt_at, outbox.first_tried_at, outbox.queued_at,
    outbox.sent, outbox.error, outbox.attempt, outbox.attempted
    """

  /// Reads ``columns``.
  init(from row: EngineRow) throws {
    self.row = row.integer(0)
    self.operation = OutboxOperation(rawValue: row.text(1)) ?? .update
    self.attempts = Int(row.integer(2))
    self.nextAttemptAt = row.isNull(3) ? nil : row.integer(3)
    self.firstTriedAt = row.isNull(4) ? nil : row.integer(4)
    self.queuedAt = row.integer(5)
    self.sent = row.isNull(6) ? nil : row.blob(6)
    self.error = row.isNull(7) ? nil : try Status(serializedBytes: row.blob(7))
    self.attempt = row.isNull(8) ? nil : row.text(8)
    self.attempted = row.isNull(9) ? nil : OutboxOperation(rawValue: row.text(9))
  }
}

/// The rows of `outbox`: one a record at most.
struct OutboxRows {
  let database: Database

  func find(_ row: Int64) throws -> OutboxRow? {
    var found: OutboxRow?
    try EngineStatement(self.database, "SELECT \(OutboxRow.columns) FROM outbox WHERE record = ?")
      .forEach([.integer(row)]) { found = try OutboxRow(from: $0) }
    return found
  }

  /// Queues an operation, in the place of the one that waited for the record; it keeps that one's place in the order.
  ///
  /// - Parameter next: When it may go; nil = not by itself.
  func queue(_ operation: OutboxOperation, of record: StoredRecord, next: Int64?, now: Int64) throws {
    try self.database.run(
      """
      INSERT INTO outbox (record, account, operation, next_attempt_at, queued_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET operation = excluded.operation, attempts = 0, error = NULL,
        next_attempt_at = excluded.next_attempt_at
      """, .integer(record.row), .integer(record.account), .text(operation.rawValue),
      next.map { .integer($0) } ?? .null, .integer(now))
  }

  /// Nothing of the record is under way any more.
  func settle(_ row: Int64) throws {
    try self.database.run(
      "UPDATE outbox SET sent = NULL, first_tried_at = NULL, attempt = NULL, attempted = NULL WHERE record = ?",
      .integer(row))
  }

  func remove(_ row: Int64) throws {
    try self.database.run("DELETE FROM outbox WHERE record = ?", .integer(row))
    try self.database.run("DELETE FROM conflict WHERE record = ?", .integer(row))
  }
}
