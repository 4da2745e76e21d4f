internal import Bus
internal import EventLoop
internal import GRDB
internal import KithMessages
internal import Logging
internal import SwiftProtobuf

/// Remembers what mutating commands were answered, in the transactions of their effects.
///
/// Kept are OK answers, and failures of long-running commands that the same request would meet again.
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

  /// Reads what must be known before the first command: one pass over the index of keys.
  static func index(_ database: Database) throws -> JournalIndex {
    let keys = try Row.fetchCursor(database, sql: "SELECT principal, key FROM command INDEXED BY command_key")
    let running = try Int.fetchOne(database, sql: "SELECT count(*) FROM command WHERE finished_at IS NULL") ?? 0
    let finished = "SELECT kept_bytes FROM command WHERE finished_at IS NOT NULL ORDER BY id"
    let oldest = try Int64.fetchOne(database, sql: "\(finished) LIMIT 1") ?? 0
    let newest = try Int64.fetchOne(database, sql: "\(finished) DESC LIMIT 1") ?? 0
    var names: [(String, String)] = []
    while let row = try keys.next() { names.append((row[0], row[1])) }
    return JournalIndex(keys: names, rows: names.count - running, keptBytes: newest, forgottenBytes: oldest)
  }

  // MARK: - In the transaction of a command

  /// The answer that is already there for a ticket.
  func stored(_ ticket: CommandTicket, _ transaction: Transaction) throws(Failure) -> CommandOutcome? {
    guard self.mayHold(ticket) else { return nil }
    return try CommandRows(view: transaction).find(ticket)?.outcome
  }

  /// Writes how a command ended.
  ///
  /// - Returns: What to do after COMMIT.
  func finish(
    _ ticket: CommandTicket, _ outcome: CommandOutcome, _ transaction: Transaction
  ) throws(Failure) -> PendingWrite.Conclusion {
    let rows = CommandRows(view: transaction)
    if self.mayHold(ticket) { _ = try rows.deleteRunning(ticket) }
    var header = ReplyHeader()
    header.status = outcome.status
    header.effects = outcome.effects
    let keptHeader: [UInt8] = try transaction.attempt { _ in try header.serializedBytes() }
    let keptBytes = self.state.withLock { state in
      state.index.note(ticket)
      return state.index.add(bytes: keptHeader.count + outcome.reply.count + Self.rowBytes)
    }
    try rows.insertFinished(
      ticket, header: keptHeader, reply: outcome.reply, keptBytes: keptBytes, now: WallClock.nanoseconds())
    return {
      ticket.settle(outcome)
      self.noteFinished()
    }
  }

  // MARK: - CommandJournal

  func recall(_ ticket: CommandTicket) async throws(Failure) -> CommandOutcome? {
    guard self.mayHold(ticket) else { return nil }
    return try await self.reader.read { view throws(Failure) in try CommandRows(view: view).find(ticket)?.outcome }
  }

  func accept(_ ticket: CommandTicket, request: [UInt8]) async throws(Failure) {
    try await self.group.write(cause: ticket.requestID) { transaction throws(Failure) in
      let rows = CommandRows(view: transaction)
      if self.mayHold(ticket), try rows.find(ticket) != nil { return }
      self.state.withLock { $0.index.note(ticket) }
      try rows.insertRunning(ticket, request: request, now: WallClock.nanoseconds())
    }
  }

  func conclude(_ ticket: CommandTicket, with failure: Failure) async {
    let outcome: Result<Void, Failure> = await withCheckedContinuation { continuation in
      self.group.submit(
        PendingWrite(cause: ticket.requestID) { transaction throws(Failure) in
          guard try CommandRows(view: transaction).deleteRunning(ticket) else {
            return { continuation.resume(returning: .success(())) }
          }
          guard !failure.isTransient else { return { continuation.resume(returning: .success(())) } }
          let finished = try self.finish(
            ticket, CommandOutcome(status: failure.status, reply: [], effects: []), transaction)
          return {
            finished()
            continuation.resume(returning: .success(()))
          }
        } fail: {
          continuation.resume(returning: .failure($0))
        })
    }
    if case .failure(let failure) = outcome {
      // The row stays as running, so the next start takes the command up again.
      self.logger.warning("the end of a command was not stored", metadata: ["reason": "\(failure.reason)"])
    }
  }

  func unfinished() async throws(Failure) -> [UnfinishedCommand] {
    try await self.reader.read { view throws(Failure) in try CommandRows(view: view).running() }
  }

  // MARK: - Forgetting

  /// Finished commands that are remembered.
  var rows: Int { self.state.withLock { $0.index.rows } }

  /// Forgets one slice of what is over the limits.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: Whether there may be more.
  func trim(now: Int64) async throws(Failure) -> Bool {
    let outcome: Result<Bool, Failure> = await withCheckedContinuation { continuation in
      self.submitTrim(now: now) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  private func submitTrim(now: Int64, _ done: @escaping @Sendable (Result<Bool, Failure>) -> Void) {
    self.group.submit(
      PendingWrite(cause: "") { transaction throws(Failure) in
        let slice = try self.forgetSlice(now: now, transaction)
        return {
          self.state.withLock { $0.index.forget(slice.keys, forgottenBytes: slice.keptBytes) }
          done(.success(slice.keys.count == self.limits.slice))
        }
      } fail: {
        done(.failure($0))
      })
  }

  private func forgetSlice(
    now: Int64, _ transaction: Transaction
  ) throws(Failure) -> (keys: [(String, String)], keptBytes: Int64) {
    let index = self.state.withLock { $0.index }
    let tooMany = index.rows - self.limits.rows
    let tooLarge = index.keptBytes - self.limits.bytes
    let tooOld = now - self.limits.age.nanoseconds
    return try transaction.attempt { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT id, principal, key, kept_bytes, finished_at FROM command WHERE finished_at IS NOT NULL
          ORDER BY id LIMIT ?
          """)
      var keys: [(String, String)] = []
      var last: (id: Int64, keptBytes: Int64) = (0, 0)
      let oldest = try Row.fetchCursor(statement, arguments: [self.limits.slice])
      while let row = try oldest.next() {
        let keptBytes: Int64 = row[3]
        guard keys.count < tooMany || keptBytes <= tooLarge || (row[4] as Int64) < tooOld else { break }
        keys.append((row[1], row[2]))
        last = (row[0], keptBytes)
      }
      if !keys.isEmpty {
        try database.cachedStatement(sql: "DELETE FROM command WHERE id <= ? AND finished_at IS NOT NULL")
          .execute(arguments: [last.id])
      }
      return (keys, last.keptBytes)
    }
  }

  private func mayHold(_ ticket: CommandTicket) -> Bool { self.state.withLock { $0.index.mayHold(ticket) } }

  /// Counts a finished command, and has a slice forgotten with the next group when there are too many.
  private func noteFinished() {
    let mustTrim = self.state.withLock { state in
      state.index.noteFinished()
      guard !state.isTrimming, state.index.isOver(self.limits) else { return false }
      state.isTrimming = true
      return true
    }
    guard mustTrim else { return }
    self.submitTrim(now: WallClock.nanoseconds()) { _ in self.state.withLock { $0.isTrimming = false } }
  }

  /// What a row takes beside its answer, about.
  private static let rowBytes = 200
}

extension Duration {
  /// The same in nanoseconds.
  var nanoseconds: Int64 { self.components.seconds * 1_000_000_000 + self.components.attoseconds / 1_000_000_000 }
}
