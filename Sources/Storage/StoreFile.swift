internal import Bus
internal import CSQLite
internal import EventLoop
internal import Foundation
internal import GRDB
internal import KithMessages
internal import Logging

/// The database file, open, locked and migrated to the newest schema.
struct StoreFile: Sendable {
  let pool: DatabasePool
  private let lock: LockFile
  let position: LogPosition
  let journal: JournalIndex
  /// Whether the last process closed the file cleanly.
  let wasClosed: Bool

  /// The state directory.
  let directory: String

  static func path(in directory: String) -> String { directory + "/kith.db" }

  /// Once in a process, before it opens its first database.
  private static let hasUncountedMemory: Void = kith_sqlite_uncounted_memory()

  /// Opens the store of a directory; creates both if needed.
  ///
  /// - Throws: `FAILED_PRECONDITION` if another process holds it, a newer kithd wrote it or the system refuses;
  ///   `DATA_LOSS` if it is damaged; `RESOURCE_EXHAUSTED/DISK_FULL`.
  static func open(
    directory: String, migrations: [Migration], health: StoreHealth, logger: Logger
  ) throws(Failure) -> StoreFile {
    try self.makeDirectory(directory)
    let lock = try self.lock(directory)
    try RestoreMark.requireNone(in: directory)
    let path = self.path(in: directory)
    // Created with mode 0600 before SQLite opens it; SQLite gives its other files the same mode.
    try DiskFile.open(path, create: true)?.makePrivate()
    _ = Self.hasUncountedMemory
    do {
      let pool = try DatabasePool(path: path, configuration: self.configuration)
      // DatabasePool sets NORMAL when it turns WAL on, so FULL comes after it.
      try pool.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216")
        try self.requireDurable(database)
        try self.migrate(database, migrations, directory, logger)
      }
      return try pool.write { database in
        StoreFile(
          pool: pool, lock: lock, position: try self.position(database), journal: try Journal.index(database),
          wasClosed: try self.beginSession(database), directory: directory)
      }
    } catch {
      throw health.failure(for: error)
    }
  }

  /// Marks the file as cleanly closed and closes it.
  func close() throws {
    defer { self.lock.release() }
    try self.pool.writeWithoutTransaction { database in
      try database.execute(sql: "UPDATE meta SET value = 'yes' WHERE name = 'closed'")
      try database.checkpoint(.truncate)
    }
    try self.pool.close()
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "kith.store"
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 3
    // Memory is released without closing readers: opening one again costs the next read a millisecond.
    configuration.persistentReadOnlyConnections = true
    configuration.prepareDatabase { database in
      // KiB of each connection. The writer holds the pages of a large commit, which it would write and read repeatedly if they did not
      // fit; a reader the pages that most searches of ten thousand contacts read.
      try database.execute(sql: "PRAGMA cache_size = -4096")
    }
    return configuration
  }

  /// Makes the directory for its owner alone.
  static func makeDirectory(_ directory: String) throws(Failure) {
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unusable(directory)
    }
    try DiskFile.makeDirectoryPrivate(directory)
  }

  /// Locks the directory for one kithd.
  static func lock(_ directory: String) throws(Failure) -> LockFile {
    let path = directory + "/kith.lock"
    do throws(LockFile.Refusal) {
      return try LockFile(path: path)
    } catch {
      switch error {
      case .system(_, let code): throw .unusable(path, code)
      case .held(let holder):
        let name = holder.map { "\($0)" } ?? ""
        throw Failure(
          .failedPrecondition, "ALREADY_RUNNING",
          "Another kithd (process \(name.isEmpty ? "unknown" : name)) uses this state directory. Stop it first, or give "
            + "this one another directory.", details: ["pid": name])
      }
    }
  }

  private static func requireDurable(_ database: Database) throws {
    let synchronous = try Int.fetchOne(database, sql: "PRAGMA synchronous")
    let mode = try String.fetchOne(database, sql: "PRAGMA journal_mode")
    guard synchronous == 2, mode == "wal" else {
      throw Failure(
        .failedPrecondition, "NOT_DURABLE",
        "SQLite cannot use a write-ahead log with synchronous=FULL here, so writes would not be durable. Put the state "
          + "directory on a local disk.")
    }
  }

  private static func migrate(
    _ database: Database, _ migrations: [Migration], _ directory: String, _ logger: Logger
  ) throws {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= migrations.count else {
      throw Failure(
        .failedPrecondition, "SCHEMA_TOO_NEW",
        "The store was written by a newer kithd (schema \(version), this one knows \(migrations.count)). Install that "
          + "version again, or put an older backup in place.")
    }
    try UpgradeCopy.make(of: database, from: version, to: migrations.count, in: directory, logger)
    for (number, migration) in migrations.enumerated().dropFirst(version) {
      logger.info("migrating the store", metadata: ["step": "\(migration.name)"])
      try database.inTransaction(.immediate) {
        try database.execute(sql: migration.sql)
        try migration.rewrite?(database)
        try database.execute(sql: "PRAGMA user_version = \(number + 1)")
        return .commit
      }
    }
  }

  private static func position(_ database: Database) throws -> LogPosition {
    // A backup has no epoch, so a restored store begins a new one.
    try database.execute(
      sql: "INSERT INTO meta (name, value) VALUES ('epoch', ?) ON CONFLICT DO NOTHING",
      arguments: [UUIDv7.make().text])
    let epoch = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE name = 'epoch'") ?? ""
    var position = LogPosition(
      epoch: epoch, heads: EventStream.allCases.map { _ in 0 }, firsts: EventStream.allCases.map { _ in 1 })
    for row in try Row.fetchAll(database, sql: "SELECT id, seq, first_seq FROM stream") {
      guard let stream = EventStream(rawValue: row[0]) else { continue }
      position.heads[stream.rawValue] = UInt64(row[1] as Int64)
      position.firsts[stream.rawValue] = UInt64(row[2] as Int64)
    }
    return position
  }

  /// - Returns: Whether the last session ended with ``close()``, or there was none.
  private static func beginSession(_ database: Database) throws -> Bool {
    let closed = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE name = 'closed'")
    try database.execute(
      sql: "INSERT INTO meta (name, value) VALUES ('closed', 'no') ON CONFLICT DO UPDATE SET value = excluded.value")
    return closed != "no"
  }
}
