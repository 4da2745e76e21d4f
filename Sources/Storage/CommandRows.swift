internal import Bus
internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// The rows of the command journal.
struct CommandRows {
  let view: any DatabaseView

  /// A remembered command.
  struct Entry {
    let id: Int64
    let fingerprint: [UInt8]
    /// Nil while the command runs.
    let outcome: CommandOutcome?
  }

  /// The row of a ticket's key; nil if there is none.
  ///
  /// - Throws: `INVALID_ARGUMENT/IDEMPOTENCY_KEY_REUSED` if the key was used with other content.
  func find(_ ticket: CommandTicket) throws(Failure) -> Entry? {
    let entry = try self.view.attempt { database -> Entry? in
      try database.first(
        "SELECT id, fingerprint, finished_at IS NOT NULL, header, reply FROM command WHERE principal = ? AND key = ?",
        .text(ticket.principal), .text(ticket.key)
      ) { row in
        Entry(
          id: row.integer(0), fingerprint: row.blob(1),
          outcome: row.integer(2) != 0 ? try Self.outcome(row.blob(3), row.blob(4)) : nil)
      }
    }
    guard let entry else { return nil }
    guard entry.fingerprint == ticket.fingerprint else {
      throw Failure(
        .invalidArgument, "IDEMPOTENCY_KEY_REUSED",
        "This request id or idempotency key belongs to another command. Use a new one for a new command.")
    }
    return entry
  }

  /// Inserts the row of a running command.
  func insertRunning(_ ticket: CommandTicket, request: [UInt8], now: Int64) throws(Failure) {
    try self.view.attempt { database in
      try database.run(
        """
        INSERT INTO command (principal, key, request_id, method, fingerprint, created_at, kept_bytes, request)
        VALUES (?, ?, ?, ?, ?, ?, 0, ?)
        """, .text(ticket.principal), .text(ticket.key), .text(ticket.requestID), .text(ticket.method.name),
        .blob(ticket.fingerprint), .integer(now), .blob(request))
    }
  }

  /// Inserts the row of a finished command.
  ///
  /// - Parameter keptBytes: The sum over all finished rows ever inserted, this one included.
  func insertFinished(
    _ ticket: CommandTicket, header: [UInt8], reply: [UInt8], keptBytes: Int64, now: Int64
  ) throws(Failure) {
    try self.view.attempt { database in
      let statement = try EngineStatement(
        database,
        """
        INSERT INTO command
          (principal, key, request_id, method, fingerprint, created_at, finished_at, kept_bytes, header, reply)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
      try statement.run([
        .text(ticket.principal), .text(ticket.key), .text(ticket.requestID), .text(ticket.method.name),
        .blob(ticket.fingerprint), .integer(now), .integer(now), .integer(keptBytes), .blob(header), .blob(reply),
      ])
    }
  }

  /// Deletes the row of a running command.
  ///
  /// - Returns: False if there was none.
  func deleteRunning(_ ticket: CommandTicket) throws(Failure) -> Bool {
    try self.view.attempt { database in
      try database.run(
        "DELETE FROM command WHERE principal = ? AND key = ? AND finished_at IS NULL", .text(ticket.principal),
        .text(ticket.key))
      return database.changesCount > 0
    }
  }

  /// The running commands, the oldest first.
  func running() throws(Failure) -> [UnfinishedCommand] {
    try self.view.attempt { database in
      try database.all(
        """
        SELECT principal, key, request_id, method, fingerprint, request FROM command WHERE finished_at IS NULL ORDER BY id
        """
      ) { row -> UnfinishedCommand? in
        let name = row.text(3)
        // This hub does not know the method; the row waits for a version that does.
        guard let method = Methods.all.first(where: { $0.name == name }) else { return nil }
        let ticket = CommandTicket(
          principal: row.text(0), key: row.text(1), requestID: row.text(2), method: method, fingerprint: row.blob(4))
        return UnfinishedCommand(ticket: ticket, request: row.blob(5))
      }.compactMap(\.self)
    }
  }

  private static func outcome(_ header: [UInt8], _ reply: [UInt8]) throws -> CommandOutcome {
    let header = try ReplyHeader(serializedBytes: header)
    return CommandOutcome(
      status: header.status, reply: reply, effects: header.effects, isReplayed: true)
  }
}
