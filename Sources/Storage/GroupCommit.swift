internal import Bus
internal import CoreMetrics
internal import EventLoop
internal import GRDB
internal import KithMessages
internal import Logging

/// Commits all waiting writes in one transaction, so that one fsync makes many writes durable.
///
/// Writes that arrive during a commit form the next group; a single write is committed at once. No caller is resumed
/// and no event is published before COMMIT.
///
/// Savepoints would cost more than the writes between them: SQLite copies each page changed under one, and makes the
/// full-text indexes write out what they buffered. So a group first runs without savepoints. A write that fails before
/// it changed a row leaves nothing to undo. If a write fails later, the group is rolled back and runs a second time
/// with a savepoint for each write, so that only the failed one is undone. A write's closure must therefore tolerate
/// running twice.
final class GroupCommit: Sendable {
  private let pool: DatabasePool
  private let health: StoreHealth
  private let memory: MemoryRelease
  private let limits: StorageLimits
  private let metrics: StoreMetrics
  private let publish: @Sendable ([LoggedEvent]) -> Void
  private let queue = Lock(WriteQueue())
  private let committed: Lock<LogPosition>
  private let compacting = Lock<Set<EventStream>>([])

  init(
    _ pool: DatabasePool, position: LogPosition, health: StoreHealth, memory: MemoryRelease, limits: StorageLimits,
    metrics: any MetricsFactory, publish: @escaping @Sendable ([LoggedEvent]) -> Void
  ) {
    self.pool = pool
    self.health = health
    self.memory = memory
    self.limits = limits
    self.metrics = StoreMetrics(metrics)
    self.publish = publish
    self.committed = Lock(position)
  }

  /// The positions of the streams after the last COMMIT.
  var position: LogPosition { self.committed.withLock { $0 } }

  /// The number of writes that are in no group yet.
  var waiting: Int { self.queue.withLock { $0.count } }

  /// Queues a write; callable on any thread.
  func submit(_ write: PendingWrite) {
    switch self.queue.withLock({ $0.add(write) }) {
    case .queued: break
    case .queuedFirst: self.wakeWriter()
    case .refused(let failure): write.fail(failure)
    }
  }

  /// Queues a write.
  ///
  /// - Parameters:
  ///   - body: Runs on the writer, possibly twice.
  ///   - ended: Called once: after COMMIT, or when the write was not stored.
  func submit<Value: Sendable>(
    cause: String, _ body: @escaping @Sendable (Transaction) throws(Failure) -> Value,
    ended: @escaping @Sendable (Result<Value, Failure>) -> Void
  ) {
    self.submit(
      PendingWrite(cause: cause) { transaction throws(Failure) in
        let value = try body(transaction)
        try transaction.appender.flush(through: transaction)
        return { ended(.success(value)) }
      } fail: {
        ended(.failure($0))
      })
  }

  /// Queues a write and waits for its group's COMMIT.
  ///
  /// - Parameters:
  ///   - submitted: Called when the write is in the queue.
  ///   - ended: As in ``submit(cause:_:ended:)``; called before the waiting caller resumes.
  func write<Value: Sendable>(
    cause: String, _ body: @escaping @Sendable (Transaction) throws(Failure) -> Value,
    submitted: () -> Void = {},
    ended: @escaping @Sendable (Result<Value, Failure>) -> Void = { _ in }
  ) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
      self.submit(cause: cause, body) {
        ended($0)
        continuation.resume(returning: $0)
      }
      submitted()
    }
    return try outcome.get()
  }

  /// Refuses later writes, and returns when the waiting ones are committed.
  func close() async {
    self.queue.withLock { $0.close() }
    // Each group is a job of the writer's queue and schedules the next group. When no write waits, this job runs after
    // the last group.
    while await self.isBusy() {}
  }

  /// Drops one slice of a stream's events that are over the limits.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Returns: Whether events were dropped, so that there may be more.
  func compact(_ stream: EventStream, now: Int64) async throws(Failure) -> Bool {
    let slice = try await self.write(cause: "") { transaction throws(Failure) in
      try self.dropSlice(of: stream, now: now, transaction)
    } ended: {
      self.noteDropped($0, of: stream)
    }
    return !slice.isEmpty
  }

  /// - Returns: The numbers that were dropped.
  private func dropSlice(
    of stream: EventStream, now: Int64, _ transaction: Transaction
  ) throws(Failure) -> Range<UInt64> {
    let first = self.position.firsts[stream.rawValue]
    let boundary = try Compaction(transaction: transaction, limits: self.limits.events)
      .dropSlice(of: stream, first: first, head: transaction.appender.sequence[stream], now: now)
    transaction.appender.noteCompacted(stream, from: boundary)
    return first..<boundary
  }

  private func noteDropped(_ outcome: Result<Range<UInt64>, Failure>, of stream: EventStream) {
    guard case .success(let slice) = outcome else { return }
    self.committed.withLock { $0.firsts[stream.rawValue] = slice.upperBound }
  }

  /// Drops a slice with the next group if a stream's log is a slice too long.
  private func compactIfLong(_ streams: [EventStream]) {
    let position = self.position
    for stream in streams {
      let length = position.heads[stream.rawValue] + 1 - position.firsts[stream.rawValue]
      guard length >= self.limits.events.count + self.limits.events.slice else { continue }
      guard self.compacting.withLock({ $0.insert(stream).inserted }) else { continue }
      let now = WallClock.nanoseconds()
      self.submit(cause: "") { transaction throws(Failure) in
        try self.dropSlice(of: stream, now: now, transaction)
      } ended: {
        self.noteDropped($0, of: stream)
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

  /// Commits one group, on the writer's queue.
  private func commitGroup(_ database: Database) {
    let members = self.queue.withLock { $0.takeGroup(atMost: self.limits.groupMembers) }
    guard !members.isEmpty else { return }
    var served = members.count
    let changes = database.totalChangesCount
    do {
      var group = try self.perform(members, database, savepoints: false)
      if group.needsSavepoints { group = try self.perform(members, database, savepoints: true) }
      served = group.conclusions.count
      try group.appender.saveHeads(database)
      let begin = ContinuousClock.now
      try EngineStatement(database, "COMMIT").run()
      self.metrics.committed(writes: served, in: begin.duration(to: .now))
      self.conclude(group)
    } catch {
      let failure = self.health.failure(for: error)
      // SQLite may have rolled back already (https://www.sqlite.org/lang_transaction.html, section 3).
      if database.isInsideTransaction { try? database.rollback() }
      served = members.count
      self.metrics.failed()
      for member in members { member.fail(failure) }
    }
    let rest = members[served...]
    if !rest.isEmpty { self.queue.withLock { $0.putBack(rest) } }
    self.memory.note(rows: database.totalChangesCount - changes)
    self.wakeWriter()
  }

  /// Publishes what was committed and resumes the callers.
  private func conclude(_ group: PerformedGroup) {
    let sequence = group.appender.sequence
    self.committed.withLock { $0.heads = sequence.heads }
    if !sequence.events.isEmpty { self.publish(sequence.events) }
    for conclude in group.conclusions { conclude() }
    self.compactIfLong(sequence.movedByGroup)
  }

  private func begin(_ database: Database) throws -> EventAppender {
    // An earlier ROLLBACK may have failed, on a disk that refused every operation.
    if database.isInsideTransaction { try database.rollback() }
    try EngineStatement(database, "BEGIN IMMEDIATE").run()
    return try EventAppender(database, position: self.position, now: WallClock.nanoseconds())
  }

  /// Begins a transaction and runs members in it until all have run or the time is up.
  ///
  /// - Throws: An error that ended the whole transaction.
  private func perform(_ members: [PendingWrite], _ database: Database, savepoints: Bool) throws -> PerformedGroup {
    var group = PerformedGroup(appender: try self.begin(database))
    group.conclusions.reserveCapacity(members.count)
    let transaction = Transaction(database: database, health: self.health, appender: group.appender)
    let begin = ContinuousClock.now
    for member in members {
      if !group.conclusions.isEmpty, begin.duration(to: .now) > self.limits.groupDuration { break }
      if savepoints { try EngineStatement(database, "SAVEPOINT member").run() }
      let changes = database.totalChangesCount
      group.appender.beginMember(cause: member.cause)
      do throws(Failure) {
        let conclusion = try member.perform(transaction)
        // The closure swallowed the error that rolled the transaction back; it must not count as done.
        guard database.isInsideTransaction else { throw .rolledBack }
        group.conclusions.append(conclusion)
      } catch {
        guard database.isInsideTransaction else { throw error }
        if savepoints {
          try database.execute(sql: "ROLLBACK TO member")
        } else if database.totalChangesCount != changes {
          try database.rollback()
          group.needsSavepoints = true
          return group
        }
        group.appender.undoMember()
        group.conclusions.append { member.fail(error) }
      }
      if savepoints { try EngineStatement(database, "RELEASE member").run() }
    }
    return group
  }
}

/// The state of a group before its COMMIT.
private struct PerformedGroup {
  let appender: EventAppender
  /// One for each member that ran; the others are left for the next group.
  var conclusions: [PendingWrite.Conclusion] = []
  /// Whether the group was rolled back because one member failed and could not be undone by itself.
  var needsSavepoints = false
}

/// Drops old events of a stream, a slice at a time.
struct Compaction {
  let transaction: Transaction
  let limits: EventLimits

  /// Drops the events of the next slice that are over the limits.
  ///
  /// - Parameters:
  ///   - first: The first number of the complete log.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The new first number; unchanged if there was nothing to drop.
  func dropSlice(of stream: EventStream, first: UInt64, head: UInt64, now: Int64) throws(Failure) -> UInt64 {
    let end = min(first + self.limits.slice, head + 1)
    guard first < end else { return first }
    let tooOld = now - self.limits.age.nanoseconds
    let byCount = head >= self.limits.count ? head - self.limits.count + 1 : 0
    return try self.transaction.attempt { database in
      let id = EngineValue.integer(Int64(stream.rawValue))
      let firstYoung = try database.first(
        "SELECT min(seq) FROM event WHERE stream = ? AND seq >= ? AND seq < ? AND time >= ?", id,
        .integer(Int64(first)),
        .integer(Int64(end)), .integer(tooOld)
      ) { $0.isNull(0) ? nil : UInt64($0.integer(0)) }
      let byAge = (firstYoung ?? nil) ?? end
      let boundary = min(end, max(byCount, byAge, first))
      guard boundary > first else { return first }
      try database.run(
        """
        DELETE FROM event WHERE stream = ?1 AND seq >= ?2 AND seq < ?3
          AND seq NOT IN (SELECT seq FROM last_event WHERE stream = ?1 AND seq >= ?2 AND seq < ?3)
        """, id, .integer(Int64(first)), .integer(Int64(boundary)))
      try database.run("UPDATE stream SET first_seq = ? WHERE id = ?", .integer(Int64(boundary)), id)
      return boundary
    }
  }
}
