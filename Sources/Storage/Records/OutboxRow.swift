internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// A row of `outbox`.
struct OutboxRow {
  /// The row of the record.
  let row: Int64
  let operation: OutboxOperation
  let attempts: Int
  /// Nanoseconds since 1970, as the other moments.
  let nextAttemptAt: Int64?
  let firstTriedAt: Int64?
  let queuedAt: Int64
  /// The body in flight, or the body of an attempt whose outcome is unknown.
  let sent: [UInt8]?
  let error: Status?
  /// The attempt whose outcome is not stored, and its operation.
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

/// The rows of `outbox`: at most one for each record.
struct OutboxRows {
  let database: Database

  func find(_ row: Int64) throws -> OutboxRow? {
    var found: OutboxRow?
    try EngineStatement(self.database, "SELECT \(OutboxRow.columns) FROM outbox WHERE record = ?")
      .forEach([.integer(row)]) { found = try OutboxRow(from: $0) }
    return found
  }

  /// Queues an operation. It replaces the record's queued operation and keeps its place in the order.
  ///
  /// - Parameter next: When it is sent; nil if a person has to retry it.
  func queue(_ operation: OutboxOperation, of record: StoredRecord, next: Int64?, now: Int64) throws {
    try self.database.run(
      """
      INSERT INTO outbox (record, account, operation, next_attempt_at, queued_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET operation = excluded.operation, attempts = 0, error = NULL,
        next_attempt_at = excluded.next_attempt_at
      """, .integer(record.row), .integer(record.account), .text(operation.rawValue),
      next.map { .integer($0) } ?? .null, .integer(now))
  }

  /// Records that nothing of the record is in flight.
  func settle(_ row: Int64) throws {
    try self.database.run(
      "UPDATE outbox SET sent = NULL, first_tried_at = NULL, attempt = NULL, attempted = NULL WHERE record = ?",
      .integer(row))
  }

  /// Removes a change, and the conflict of the record unless that rests.
  func remove(_ row: Int64, conflictRests: Bool = false) throws {
    try self.database.run("DELETE FROM outbox WHERE record = ?", .integer(row))
    if conflictRests { return }
    try self.database.run("DELETE FROM conflict WHERE record = ?", .integer(row))
  }
}
