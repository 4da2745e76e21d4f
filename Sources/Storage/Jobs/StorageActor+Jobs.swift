public import Bus
internal import KithMessages
internal import Logging

extension StorageActor: JobStore {
  /// How long a job is kept after its end, and the most jobs that are kept.
  private static let keptAfterEnd: Int64 = 24 * 3600 * 1_000_000_000
  private static let keptJobs = 10_000

  /// Inserts a new job, or returns the kept one under the same key.
  public nonisolated func open(_ draft: JobRecord) async throws(Failure) -> JobRecord {
    try await self.write { transaction throws(Failure) in
      if draft.isKept, let earlier = try transaction.jobs.kept(under: draft.key),
        earlier.state != .cancelled
      {
        return earlier
      }
      try transaction.jobs.insert(draft)
      return draft
    }
  }

  /// Commits changes in order, with their events.
  public nonisolated func apply(_ changes: [JobRecord]) async throws(Failure) {
    let now = WallClock.nanoseconds()
    try await self.write { transaction throws(Failure) in
      for change in changes { try transaction.jobs.update(change, now: now) }
    }
  }

  /// The jobs that were open, or of unknown outcome, when the last process ended.
  public nonisolated func unended() async throws(Failure) -> [JobRecord] {
    try await self.read { view throws(Failure) in try view.jobs.unended() }
  }

  /// Announces that jobs of a service wait for a worker, or that a worker serves it again.
  public nonisolated func announce(_ service: String, isServed: Bool) async {
    var event = Event()
    event.system.kind = isServed ? "worker.served" : "worker.missing"
    event.system.text =
      isServed
      ? "A worker serves \(service) again."
      : "Jobs wait, because no worker serves \(service). Start one: `kithd worker`."
    do throws(Failure) {
      try await self.write { [event] transaction throws(Failure) in
        try transaction.emit(event, on: EventStream.system.name, key: "worker:\(service)")
      }
    } catch {
      self.logger.warning("notice not stored", metadata: ["kind": "\(event.system.kind)", "reason": "\(error.reason)"])
    }
  }

  /// Deletes a slice of the jobs that ended long ago.
  ///
  /// - Returns: Whether there may be more.
  nonisolated func expireJobs(now: Int64) async throws(Failure) -> Bool {
    try await self.write { transaction throws(Failure) in
      try transaction.jobs.expire(before: now - Self.keptAfterEnd, limit: Self.keptJobs)
    }
  }
}
