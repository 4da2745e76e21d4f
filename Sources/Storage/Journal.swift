internal import Bus
internal import EventLoop
internal import GRDB
internal import KithMessages
internal import Logging
internal import SwiftProtobuf

/// Stores the outcomes of mutating commands in the transactions of their effects.
///
/// It keeps OK replies, and permanent failures of long-running commands.
final class Journal: Sendable {
  private struct State {
    var index: JournalIndex
    var isTrimming = false
  }

  private let reader: Reader
  private let group: GroupCommit
  private let limits: JournalLimits
  private let logger: Logger
  private let state: Lock<State>

  init(
    reader: Reader, group: GroupCommit, index: JournalIndex, limits: JournalLimits, logger: Logger
  ) {
    self.reader = reader
    self.group = group
    self.limits = limits
    self.logger = logger
    self.state = Lock(State(index: index))
  }

  /// Builds the index at the start: one pass over the keys.
  static func index(_ database: Database) throws -> JournalIndex {
    let names = try database.all("SELECT principal, key FROM command INDEXED BY command_key") {
      ($0.text(0), $0.text(1))
    }
    let running =
      try database.first("SELECT count(*) FROM command WHERE finished_at IS NULL") { Int($0.integer(0)) } ?? 0
    let finished = "SELECT kept_bytes FROM command WHERE finished_at IS NOT NULL ORDER BY id"
    let oldest = try database.first("\(finished) LIMIT 1") { $0.integer(0) } ?? 0
    let newest = try database.first("\(finished) DESC LIMIT 1") { $0.integer(0) } ?? 0
    return JournalIndex(keys: names, rows: names.count - running, keptBytes: newest, forgottenBytes: oldest)
  }

  // MARK: - In the transaction of a command

  /// The stored outcome of a ticket's key; nil if there is none.
  func stored(_ ticket: CommandTicket, _ transaction: Transaction) throws(Failure) -> CommandOutcome? {
    guard self.mayHold(ticket) else { return nil }
    return try CommandRows(view: transaction).find(ticket)?.outcome
  }

  /// Stores the outcome of a command.
  ///
  /// - Returns: The argument of ``conclude(_:_:)``.
  func finish(
    _ ticket: CommandTicket, _ outcome: CommandOutcome, _ transaction: Transaction
  ) throws(Failure) -> Record {
    let rows = CommandRows(view: transaction)
    let (isNew, committedBytes) = self.state.withLock { ($0.index.note(ticket), $0.index.keptBytes) }
    if !isNew { _ = try rows.deleteRunning(ticket) }
    var header = ReplyHeader()
    header.status = outcome.status
    header.effects = outcome.effects
    let keptHeader: [UInt8] = try transaction.attempt { _ in try header.serializedBytes() }
    let bytes = Int64(keptHeader.count + outcome.reply.count + Self.rowBytes)
    try rows.insertFinished(
      ticket, header: keptHeader, reply: outcome.reply,
      keptBytes: committedBytes + transaction.appender.keep(bytes: bytes),
      now: WallClock.nanoseconds())
    return Record(outcome: outcome, bytes: bytes)
  }

  // MARK: - After COMMIT

  /// What a transaction stored or found for a command.
  struct Record: Sendable {
    /// What the ticket is settled with.
    var outcome: CommandOutcome?
    /// The bytes of the finished row; nil if none was written.
    var bytes: Int64?
  }

  /// Applies the result of a command's transaction: settles the ticket and updates the index.
  func conclude(_ ticket: CommandTicket, _ result: Result<Record?, Failure>) {
    guard case .success(let record) = result else {
      self.state.withLock { $0.index.drop(ticket) }
      return
    }
    if let outcome = record?.outcome { ticket.settle(outcome) }
    let mustTrim = self.state.withLock { state in
      state.index.commit(ticket, finishedBytes: record?.bytes)
      guard !state.isTrimming, state.index.isOver(self.limits) else { return false }
      state.isTrimming = true
      return true
    }
    guard mustTrim else { return }
    let now = WallClock.nanoseconds()
    self.group.submit(cause: "") { transaction throws(Failure) in
      try self.forgetSlice(now: now, transaction)
    } ended: {
      self.noteForgotten($0)
      self.state.withLock { $0.isTrimming = false }
    }
  }

  // MARK: - CommandJournal

  func recall(_ ticket: CommandTicket) async throws(Failure) -> CommandOutcome? {
    guard self.mayHold(ticket) else { return nil }
    return try await self.reader.read { view throws(Failure) in try CommandRows(view: view).find(ticket)?.outcome }
  }

  func accept(_ ticket: CommandTicket, request: [UInt8]) async throws(Failure) {
    _ = try await self.group.write(cause: ticket.requestID) { transaction throws(Failure) -> Record? in
      let rows = CommandRows(view: transaction)
      if self.mayHold(ticket), try rows.find(ticket) != nil { return nil }
      self.state.withLock { _ = $0.index.note(ticket) }
      try rows.insertRunning(ticket, request: request, now: WallClock.nanoseconds())
      return nil
    } ended: {
      self.conclude(ticket, $0)
    }
  }

  func conclude(_ ticket: CommandTicket, with failure: Failure) async {
    do throws(Failure) {
      _ = try await self.group.write(cause: ticket.requestID) { transaction throws(Failure) -> Record? in
        guard try CommandRows(view: transaction).deleteRunning(ticket), !failure.isTransient else { return nil }
        return try self.finish(ticket, CommandOutcome(status: failure.status, reply: [], effects: []), transaction)
      } ended: {
        self.conclude(ticket, $0)
      }
    } catch {
      // The row stays marked as running, so the next start resumes the command.
      self.logger.warning("the end of a command was not stored", metadata: ["reason": "\(error.reason)"])
    }
  }

  func unfinished() async throws(Failure) -> [UnfinishedCommand] {
    try await self.reader.read { view throws(Failure) in try CommandRows(view: view).running() }
  }

  // MARK: - Forgetting

  /// The number of stored finished commands.
  var rows: Int { self.state.withLock { $0.index.rows } }

  /// Deletes one slice of the commands that are over the limits.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: Whether there may be more.
  func trim(now: Int64) async throws(Failure) -> Bool {
    let slice = try await self.group.write(cause: "") { transaction throws(Failure) in
      try self.forgetSlice(now: now, transaction)
    } ended: {
      self.noteForgotten($0)
    }
    return slice.keys.count == self.limits.slice
  }

  private func noteForgotten(_ result: Result<(keys: [(String, String)], keptBytes: Int64), Failure>) {
    guard case .success(let slice) = result else { return }
    self.state.withLock { $0.index.forget(slice.keys, forgottenBytes: slice.keptBytes) }
  }

  private func forgetSlice(
    now: Int64, _ transaction: Transaction
  ) throws(Failure) -> (keys: [(String, String)], keptBytes: Int64) {
    let index = self.state.withLock { $0.index }
    let tooMany = index.rows - self.limits.rows
    let tooLarge = index.keptBytes - self.limits.bytes
    let tooOld = now - self.limits.age.nanoseconds
    return try transaction.attempt { database in
      var keys: [(String, String)] = []
      var last: (id: Int64, keptBytes: Int64) = (0, 0)
      try EngineStatement(
        database,
        """
        SELECT id, principal, key, kept_bytes, finished_at FROM command WHERE finished_at IS NOT NULL ORDER BY id LIMIT ?
        """
      ).takeRows([.integer(Int64(self.limits.slice))]) { row in
        let keptBytes = row.integer(3)
        guard keys.count < tooMany || keptBytes <= tooLarge || row.integer(4) < tooOld else { return false }
        keys.append((row.text(1), row.text(2)))
        last = (row.integer(0), keptBytes)
        return true
      }
      if !keys.isEmpty {
        try database.run("DELETE FROM command WHERE id <= ? AND finished_at IS NOT NULL", .integer(last.id))
      }
      return (keys, last.keptBytes)
    }
  }

  /// Whether the key may have a row.
  func mayHold(_ ticket: CommandTicket) -> Bool { self.state.withLock { $0.index.mayHold(ticket) } }

  /// An estimate of a row's bytes without its reply.
  private static let rowBytes = 200
}

extension Duration {
  /// The duration in nanoseconds.
  var nanoseconds: Int64 { self.components.seconds * 1_000_000_000 + self.components.attoseconds / 1_000_000_000 }
}
