internal import Bus
internal import KithMessages

/// One job of the ``LeaseTable``.
struct LeasedJob: Sendable {
  /// Where it is between two commits.
  enum Phase: Sendable, Equatable {
    /// It waits, at least until then.
    case queued(notBefore: ContinuousClock.Instant)
    /// That it is leased is being committed; nothing was sent.
    case granting
    /// The worker has it, or is being sent it.
    case leased
    /// Its end is being committed.
    case ending
    /// Its worker was lost and it may not be repeated. Only its end may still come.
    case unknown
  }

  /// The lease that counts.
  struct Lease: Sendable, Equatable {
    let id: String
    let instance: String
    var expiresAt: ContinuousClock.Instant
    var heardAt: ContinuousClock.Instant
    /// Set while the worker is gone: until then it may come back.
    var graceUntil: ContinuousClock.Instant?
  }

  var record: JobRecord
  /// Whether it is never repeated after its worker was lost.
  let isOnce: Bool
  /// Whether it is given out: not before somebody waits for it. One that the last process left goes on with the worker
  /// that has it, but whoever asked for it may want something else by now.
  var isClaimed = true
  var phase: Phase
  var lease: Lease?
  /// Leases before, each with its attempt: the end that such a worker brings may still count.
  var past: [String: UInt32] = [:]
  /// Of the last batch that was taken.
  var batchAttempt: UInt32 = 0
  /// Batches that were taken in; those after `record.batches` are with the caller.
  var received: UInt32
  /// What goes with those.
  var checkpoints: [UInt32: [UInt8]] = [:]
  var progress = Progress()

  init(_ record: JobRecord, isOnce: Bool, phase: Phase) {
    self.record = record
    self.isOnce = isOnce
    self.phase = phase
    self.received = record.batches
  }

  /// Whether the worker with this lease may go on: it has the job, or nobody knows what became of it and it may still
  /// say so.
  func isHeld(under leaseID: String) -> Bool {
    leaseID == self.lease?.id || (self.phase == .unknown && leaseID == self.record.leaseID)
  }

  /// Whether a lease with this id may bring the job's end.
  ///
  /// A lease that was lost may, as long as no batch of a later one is stored: then its batches and its end belong together.
  func accepts(_ leaseID: String) -> Bool {
    if leaseID == self.lease?.id { return self.phase != .granting }
    if self.phase == .unknown { return leaseID == self.record.leaseID }
    return self.past[leaseID].map { $0 >= self.batchAttempt } ?? false
  }

  /// When it is lost unless something is heard of its worker.
  ///
  /// What may happen once waits for the end of the lease: by then a worker that is cut off has stopped by its own
  /// clock. Lost earlier, it would still be done by that worker after its caller was told that nobody knows, and
  /// looked, and began again.
  func end(of lease: Lease) -> ContinuousClock.Instant {
    self.isOnce ? lease.expiresAt : min(lease.expiresAt, lease.graceUntil ?? lease.expiresAt)
  }

  /// Takes the lease away.
  mutating func endLease() {
    if let lease { self.past[lease.id] = self.record.attempt }
    self.lease = nil
  }
}

/// The times and numbers of the work plane: protocol.md, "Workers".
struct WorkTiming: Sendable {
  /// Between two heartbeats of either side.
  var heartbeat = Duration.milliseconds(2500)
  /// A worker of which nothing was heard for so long is gone: four heartbeats.
  var silence = Duration.seconds(10)
  /// A lease that nothing renews ends after this.
  var lease = Duration.seconds(30)
  /// How long a worker that is gone may come back to its leases; to those of what may happen once, until they end.
  var grace = Duration.seconds(10)
  /// Workers that may be lost over a job.
  var attempts: UInt32 = 5
  /// The waits after losses.
  var backoff = Backoff(first: 1_000_000_000, longest: 60_000_000_000)
  /// Batches that may be unanswered.
  var window: UInt32 = 2
}
