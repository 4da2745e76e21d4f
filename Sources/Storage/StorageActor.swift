public import Bus
public import CoreMetrics
internal import Dispatch
internal import Foundation
internal import GRDB
public import KithMessages
public import Logging
internal import SwiftProtobuf

/// The store of the hub: one SQLite file. Nothing is acknowledged before it is on the disk.
///
/// A command or write is a closure that reads, decides and writes in one transaction; waiting writes are committed
/// together. Reads run concurrently with the writer. The frequent calls are `nonisolated` and do not queue for the
/// actor, which only does upkeep.
public actor StorageActor: CommandJournal {
  nonisolated let file: StoreFile
  nonisolated let health: StoreHealth
  nonisolated let group: GroupCommit
  nonisolated let reader: Reader
  nonisolated let journal: Journal
  nonisolated let blobs: BlobFiles
  /// The files of recordings that wait for transcription.
  public nonisolated let sounds: SoundFiles
  nonisolated let logger: Logger
  var hasAnnouncedDamage = false

  private let executor = DiskExecutor(label: "kith.store")
  private let schemaVersion: Int

  /// Runs the actor's jobs, which wait for the disk, outside the shared thread pool.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe self.executor.asUnownedSerialExecutor() }

  /// Opens the store of a directory; creates or migrates it first if needed.
  ///
  /// - Parameters:
  ///   - directory: The state directory. It and its files become private to the user (0700, 0600).
  ///   - limits: How much is kept.
  ///   - metrics: Keeps the number of commits and their durations.
  ///   - publish: Called after each COMMIT, in order, with its events. It must not block: the writer waits for it.
  /// - Throws: `FAILED_PRECONDITION/ALREADY_RUNNING` with the process that holds the directory, `SCHEMA_TOO_NEW`,
  ///   `NOT_DURABLE` or `STATE_DIRECTORY_UNUSABLE`; `DATA_LOSS/STORE_DAMAGED`; `RESOURCE_EXHAUSTED/DISK_FULL`.
  public init(
    directory: String, logger: Logger, limits: StorageLimits = StorageLimits(),
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, publish: @escaping @Sendable ([LoggedEvent]) -> Void
  ) throws(Failure) {
    try self.init(
      directory: directory, logger: logger, limits: limits, migrations: Migration.all, metrics: metrics,
      publish: publish)
  }

  init(
    directory: String, logger: Logger, limits: StorageLimits, migrations: [Migration],
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, publish: @escaping @Sendable ([LoggedEvent]) -> Void
  ) throws(Failure) {
    self.health = StoreHealth(logger: logger)
    self.logger = logger
    self.schemaVersion = migrations.count
    self.file = try StoreFile.open(
      directory: directory, migrations: migrations, health: self.health, logger: logger)
    let memory = MemoryRelease(self.file.pool)
    self.reader = Reader(pool: self.file.pool, health: self.health, memory: memory)
    self.group = GroupCommit(
      self.file.pool, position: self.file.position, health: self.health, memory: memory, limits: limits,
      metrics: metrics, publish: publish)
    self.journal = Journal(
      reader: self.reader, group: self.group, index: self.file.journal, limits: limits.journal, logger: logger)
    self.blobs = try BlobFiles(directory: directory, group: self.group, reader: self.reader, limits: limits.blobs)
    self.sounds = try SoundFiles(stateDirectory: directory)
    if !self.file.wasClosed { self.health.noteChecking() }
  }

  // MARK: - Commands and writes

  /// Runs one command: its journal row, effect and events are committed together or not at all.
  ///
  /// When the write is queued, the next command of the same connection may queue its own. If the command's key has a
  /// stored reply, `body` does not run and that reply is returned. The context's ticket is settled after COMMIT.
  ///
  /// - Parameter body: Reads, decides and writes. It must be short: every other write waits for it.
  /// - Throws: What `body` throws, which undoes only this command; `DISK_FULL`, `STORE_DAMAGED` or `BUG` if the whole
  ///   group could not be committed; `INVALID_ARGUMENT/IDEMPOTENCY_KEY_REUSED`.
  public nonisolated func commit<C: Command>(
    _ type: C.Type, _ context: CallContext, _ body: @escaping @Sendable (Transaction) throws(Failure) -> C.Reply
  ) async throws(Failure) -> Answer<C.Reply> {
    let journal = self.journal
    let ticket = context.ticket
    let result = try await self.group.write(cause: context.requestID) {
      transaction throws(Failure) -> (answer: Answer<C.Reply>, record: Journal.Record?) in
      if let ticket, let stored = try journal.stored(ticket, transaction) {
        return (try Self.answer(C.Reply.self, stored), Journal.Record(outcome: stored))
      }
      let reply = try body(transaction)
      try transaction.appender.flush(through: transaction)
      // A long-running command committed earlier writes too; its effects are all current positions.
      let effects = C.method.isLongRunning ? transaction.appender.positions : transaction.appender.effects
      guard let ticket else { return (Answer(reply, effects: effects), nil) }
      let outcome = CommandOutcome(reply: try Encoding.pb.encode(reply), effects: effects)
      return (Answer(reply, effects: effects), try journal.finish(ticket, outcome, transaction))
    } submitted: {
      context.turn?.wrote()
    } ended: { result in
      guard let ticket else { return }
      journal.conclude(ticket, result.map { $0.record })
    }
    return result.answer
  }

  /// Runs a write that is not a command's reply, such as one batch of a pass.
  ///
  /// - Parameters:
  ///   - requestID: The command that it belongs to, stored as the cause of its events.
  ///   - body: As in ``commit(_:_:_:)``.
  /// - Throws: As ``commit(_:_:_:)``.
  public nonisolated func write<Value: Sendable>(
    cause requestID: String = "", _ body: @escaping @Sendable (Transaction) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await self.group.write(cause: requestID, body)
  }

  /// Reads one consistent state, concurrently with the writer.
  ///
  /// - Throws: What `body` throws, `STORE_DAMAGED`, `BUG`; `CANCELLED` if the task is cancelled.
  public nonisolated func read<Value: Sendable>(
    _ body: @escaping @Sendable (ReadView) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await self.reader.read(body)
  }

  private static func answer<Reply: SwiftProtobuf.Message & Sendable>(
    _ type: Reply.Type, _ stored: CommandOutcome
  ) throws(Failure) -> Answer<Reply> {
    Answer(try Encoding.pb.decode(Reply.self, from: stored.get()), effects: stored.effects, isReplayed: true)
  }

  // MARK: - CommandJournal

  /// The stored outcome of a ticket's key. The disk is read only if the key may have one.
  public nonisolated func recall(_ ticket: CommandTicket) async throws(Failure) -> CommandOutcome? {
    try await self.journal.recall(ticket)
  }

  /// Commits that a long-running command has begun.
  public nonisolated func accept(_ ticket: CommandTicket, request: [UInt8]) async throws(Failure) {
    try await self.journal.accept(ticket, request: request)
  }

  /// Stores the failure of an accepted command as its outcome, or deletes the command's row if the failure is
  /// transient.
  public nonisolated func conclude(_ ticket: CommandTicket, with failure: Failure) async {
    await self.journal.conclude(ticket, with: failure)
  }

  /// The commands that were running when the last process ended, oldest first.
  public nonisolated func unfinished() async throws(Failure) -> [UnfinishedCommand] {
    try await self.journal.unfinished()
  }

  // MARK: - Streams

  /// The positions of all streams after the last COMMIT, from memory.
  public nonisolated func heads() -> [StreamPosition] { self.group.position.streams }

  /// The events of a stream after a position: `System/Replay`.
  ///
  /// - Throws: `NOT_FOUND`; `OUT_OF_RANGE/SEQ_COMPACTED` or `/EPOCH_CHANGED` if the client needs a snapshot.
  public nonisolated func replay(_ request: ReplayRequest) async throws(Failure) -> ReplayReply {
    let epoch = self.file.position.epoch
    return try await self.reader.read { view throws(Failure) in
      try EventLog(view: view, epoch: epoch).replay(request)
    }
  }

  /// The last event of every key of a stream: `System/Snapshot`.
  ///
  /// - Throws: `NOT_FOUND`; `INVALID_ARGUMENT` for an invalid page token; `OUT_OF_RANGE/EPOCH_CHANGED`.
  public nonisolated func snapshot(_ request: SnapshotRequest) async throws(Failure) -> SnapshotReply {
    let epoch = self.file.position.epoch
    return try await self.reader.read { view throws(Failure) in
      try EventLog(view: view, epoch: epoch).snapshot(request)
    }
  }

  // MARK: - State and end

  /// The status of the store, without `contacts`, which the caller fills in.
  public func status() -> StorageStatus {
    let (integrity, faults) = self.health.report
    let path = StoreFile.path(in: self.file.directory)
    var status = StorageStatus()
    status.integrity = integrity
    status.faults = faults
    status.schemaVersion = UInt32(self.schemaVersion)
    status.path = path
    for file in [path, path + "-wal"] {
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      status.bytes += (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
    }
    return status
  }

  /// Commits the waiting writes, refuses later ones, and marks the store as cleanly closed.
  public func close() async {
    await self.group.close()
    do {
      try self.file.close()
    } catch {
      self.logger.warning("the store was not closed in good order; the next start checks it")
    }
  }
}

extension StorageActor {
  /// Does the upkeep until the task is cancelled: checks the file after an unclean stop, then every minute deletes what
  /// is over the limits.
  public nonisolated func run() async {
    if !self.file.wasClosed { await self.checkIntegrity() }
    while !Task.isCancelled {
      do {
        try await self.upkeep()
      } catch {
        self.logger.warning(
          "upkeep of the store failed and will be retried",
          metadata: ["reason": "\(self.health.failure(for: error).reason)"])
      }
      do {
        try await Task.sleep(for: .seconds(60))
      } catch {
        return
      }
    }
  }

  /// Deletes what is over the limits, one slice per write.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `DISK_FULL` and other failures of the store; the next call continues.
  public nonisolated func upkeep(now: Int64 = WallClock.nanoseconds()) async throws(Failure) {
    while try await self.journal.trim(now: now) {}
    for stream in EventStream.allCases {
      while try await self.group.compact(stream, now: now) {}
    }
    while try await self.expireJobs(now: now) {}
    try await self.blobs.expire(now: now)
    await self.sounds.takeBack(at: ClockReading.uptime())
    await self.announceDamage()
  }

  /// Checks the whole file and the full-text indexes for damage, concurrently with the writer.
  package nonisolated func checkIntegrity() async {
    self.health.noteChecking()
    do throws(Failure) {
      let faults = try await self.reader.read { view throws(Failure) in
        try view.attempt { database in try String.fetchAll(database, sql: "PRAGMA quick_check(20)") }
      }
      for fault in faults where fault != "ok" { self.health.noteDamage(fault) }
      try await self.checkFullTextIndexes()
      self.health.noteSound()
    } catch {
      self.logger.error("the check of the store did not end", metadata: ["reason": "\(error.reason)"])
    }
    await self.announceDamage()
    self.file.pool.releaseMemoryEventually()
  }

  /// FTS5 checks itself with an INSERT (<https://www.sqlite.org/fts5.html#the_integrity_check_command>), so this is a
  /// write.
  private nonisolated func checkFullTextIndexes() async throws(Failure) {
    let indexes = try await self.read { view throws(Failure) in
      try view.attempt { database in
        try String.fetchAll(
          database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
        )
      }
    }
    // One index per write, because other writes wait meanwhile.
    for quoted in indexes.map(\.quotedDatabaseIdentifier) {
      try await self.write { transaction throws(Failure) in
        try transaction.attempt { database in
          try database.execute(sql: "INSERT INTO \(quoted) (\(quoted)) VALUES ('integrity-check')")
        }
      }
    }
  }

  /// Appends one event that the file is damaged.
  private func announceDamage() async {
    guard !self.hasAnnouncedDamage, self.health.report.integrity == .damaged else { return }
    self.hasAnnouncedDamage = true
    self.logger.critical("the store is damaged", metadata: ["faults": "\(self.health.report.faults.count)"])
    var event = Event()
    event.system.kind = "storage.damaged"
    event.system.text = Failure.storeDamaged.message
    do throws(Failure) {
      try await self.write { [event] transaction throws(Failure) in
        try transaction.emit(event, on: EventStream.system.name, key: "storage")
      }
    } catch {
      self.hasAnnouncedDamage = false
    }
  }
}

/// Runs an actor's jobs in order outside the shared thread pool, because they wait for the disk.
final class DiskExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { self.queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job runs exactly once, here, on the executor that it was enqueued on.
    self.queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
