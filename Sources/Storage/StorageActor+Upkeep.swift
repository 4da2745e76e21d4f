public import Bus
internal import GRDB
internal import KithMessages
internal import Logging

extension StorageActor {
  /// Keeps house until the task is cancelled: checks the file after an unclean stop, then every minute forgets what is
  /// over the limits.
  public nonisolated func run() async {
    if !self.file.wasClosed { await self.checkIntegrity() }
    while !Task.isCancelled {
      do {
        try await self.upkeep()
      } catch {
        self.logger.warning(
          "upkeep of the store was put off", metadata: ["reason": "\(self.health.failure(for: error).reason)"])
      }
      do {
        try await Task.sleep(for: .seconds(60))
      } catch {
        return
      }
    }
  }

  /// Forgets what is over the limits, a slice a write.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: `DISK_FULL` and other failures of the store; the rest is done next time.
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

  /// Reads the whole file for damage, beside the writer, and the full-text indexes.
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

  /// FTS5 checks itself by an INSERT (<https://www.sqlite.org/fts5.html#the_integrity_check_command>), so this is a write.
  private nonisolated func checkFullTextIndexes() async throws(Failure) {
    let indexes = try await self.read { view throws(Failure) in
      try view.attempt { database in
        try String.fetchAll(
          database, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%fts5%'"
        )
      }
    }
    // One by one, since nobody else writes meanwhile.
    for quoted in indexes.map(\.quotedDatabaseIdentifier) {
      try await self.write { transaction throws(Failure) in
        try transaction.attempt { database in
          try database.execute(sql: "INSERT INTO \(quoted) (\(quoted)) VALUES ('integrity-check')")
        }
      }
    }
  }

  /// Tells subscribers once that the file is damaged.
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
