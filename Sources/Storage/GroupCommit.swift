internal import Bus
internal import EventLoop
internal import GRDB
internal import KithMessages
internal import Logging

/// Commits everything that waits as one transaction, so that one fsync makes many writes durable.
///
/// Each write has a savepoint of its own. Writes that come while a group commits make up the next one; a write that
/// comes alone is not kept waiting. Nobody is told and no event is published before COMMIT.
final class GroupCommit: Sendable {
  private let pool: DatabasePool
  private let health: StoreHealth
  private let limits: StorageLimits
  private let publish: @Sendable ([LoggedEvent]) -> Void
  private let queue = Lock(WriteQueue())
  private let committed: Lock<LogPosition>
  private let compacting = Lock<Set<EventStream>>([])

  init(
    _ pool: DatabasePool, position: LogPosition, health: StoreHealth, limits: StorageLimits,
    publish: @escaping @Sendable ([LoggedEvent]) -> Void
  ) {
    self.pool = pool
    self.health = health
    self.limits = limits
    self.publish = publish
    self.committed = Lock(position)
  }

  /// Where the streams stand after the last COMMIT.
  var position: LogPosition { self.committed.withLock { $0 } }

  /// Writes that are in no group yet.
  var waiting: Int { self.queue.withLock { $0.count } }

  /// Hands in a write; any thread.
  func submit(_ write: PendingWrite) {
    switch self.queue.withLock({ $0.add(write) }) {
    case .queued: break
    case .queuedFirst: self.wakeWriter()
    case .refused(let failure): write.fail(failure)
    }
  }

  /// Hands in a write and waits for its group's COMMIT.
  func write<Value: Sendable>(
    cause: String, _ body: @escaping @Sendable (Transaction) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
      self.submit(
        PendingWrite(cause: cause) { transaction throws(Failure) in
          let value = try body(transaction)
          try transaction.scribe.flush(through: transaction)
          return { continuation.resume(returning: .success(value)) }
        } fail: {
          continuation.resume(returning: .failure($0))
        })
    }
    return try outcome.get()
  }

  /// Refuses later writes, and returns when those that wait are committed.
  func close() async {
    self.queue.withLock { $0.close() }
    // Groups are jobs of the writer's queue, each of which schedules the next: this one comes after the last of them
    // once nothing waits any more.
    while await self.isBusy() {}
  }

  /// Drops one slice of what a stream's log holds beyond the limits.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: Whether something was dropped, so that there may be more.
  func compact(_ stream: EventStream, now: Int64) async throws(Failure) -> Bool {
    let outcome: Result<Bool, Failure> = await withCheckedContinuation { continuation in
      self.submitCompaction(of: stream, now: now) { continuation.resume(returning: $0) }
    }
    return try outcome.get()
  }

  private func submitCompaction(
    of stream: EventStream, now: Int64, _ done: @escaping @Sendable (Result<Bool, Failure>) -> Void
  ) {
    self.submit(
      PendingWrite(cause: "") { transaction throws(Failure) in
        let first = self.position.firsts[stream.rawValue]
        let boundary = try Compaction(transaction: transaction, limits: self.limits.events)
          .dropSlice(of: stream, first: first, head: transaction.scribe.ledger[stream], now: now)
        transaction.scribe.noteCompacted(stream, from: boundary)
        return {
          self.committed.withLock { $0.firsts[stream.rawValue] = boundary }
          done(.success(boundary > first))
        }
      } fail: {
        done(.failure($0))
      })
  }

  /// Has a slice dropped with the next group from a log that is too long by one.
  private func compactIfLong(_ streams: [EventStream]) {
    let position = self.position
    for stream in streams {
      let length = position.heads[stream.rawValue] + 1 - position.firsts[stream.rawValue]
      guard length >= self.limits.events.count + self.limits.events.slice else { continue }
      guard self.compacting.withLock({ $0.insert(stream).inserted }) else { continue }
      self.submitCompaction(of: stream, now: WallClock.nanoseconds()) { _ in
        self.compacting.withLock { _ = $0.remove(stream) }
      }
    }
  }

  private func isBusy() async -> Bool {
    await withCheckedContinuation { continuation in
      self.pool.asyncWriteWithoutTransaction { _ in
        continuation.resume(returning: self.queue.withLock { !$0.isIdle })
      }
    }
  }

  private func wakeWriter() {
    self.pool.asyncWriteWithoutTransaction { database in self.commitGroup(database) }
  }

  /// One group, on the writer's queue.
  private func commitGroup(_ database: Database) {
    let members = self.queue.withLock { $0.takeGroup(atMost: self.limits.groupMembers) }
    guard !members.isEmpty else { return }
    var served = 0
    var conclusions: [PendingWrite.Conclusion] = []
    do {
      let scribe = try self.begin(database)
      served = try self.perform(members, Transaction(database: database, health: self.health, scribe: scribe)) {
        conclusions.append($0)
      }
      try scribe.saveHeads(database)
      try database.cachedStatement(sql: "COMMIT").execute()
      self.committed.withLock { $0.heads = scribe.ledger.heads }
      if !scribe.ledger.events.isEmpty { self.publish(scribe.ledger.events) }
      for conclude in conclusions { conclude() }
      self.compactIfLong(scribe.ledger.movedByGroup)
    } catch {
      let failure = self.health.failure(for: error)
      // SQLite may have rolled back already (https://www.sqlite.org/lang_transaction.html, section 3).
      if database.isInsideTransaction { try? database.rollback() }
      served = members.count
      for member in members { member.fail(failure) }
    }
    let rest = members[served...]
    if !rest.isEmpty { self.queue.withLock { $0.putBack(rest) } }
    self.wakeWriter()
  }

  private func begin(_ database: Database) throws -> EventScribe {
    // Where an earlier ROLLBACK failed as well, on a disk that refused everything.
    if database.isInsideTransaction { try database.rollback() }
    try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
    return try EventScribe(database, position: self.position, now: WallClock.nanoseconds())
  }

  /// Runs members until all are done or the time is up.
  ///
  /// - Returns: How many were run.
  /// - Throws: What ended the whole transaction.
  private func perform(
    _ members: [PendingWrite], _ transaction: Transaction, conclude: (@escaping PendingWrite.Conclusion) -> Void
  ) throws -> Int {
    let database = transaction.database
    let savepoint = try EngineStatement(database, "SAVEPOINT member")
    let release = try EngineStatement(database, "RELEASE member")
    let begin = ContinuousClock.now
    for (index, member) in members.enumerated() {
      if index > 0, begin.duration(to: .now) > self.limits.groupDuration { return index }
      try savepoint.run()
      transaction.scribe.beginMember(cause: member.cause)
      do throws(Failure) {
        let conclusion = try member.perform(transaction)
        // A body that swallowed the error that rolled everything back must not count as done.
        guard database.isInsideTransaction else { throw .rolledBack }
        conclude(conclusion)
      } catch {
        guard database.isInsideTransaction else { throw error }
        transaction.scribe.undoMember()
        try database.execute(sql: "ROLLBACK TO member")
        conclude { member.fail(error) }
      }
      try release.run()
    }
    return members.count
  }
}
