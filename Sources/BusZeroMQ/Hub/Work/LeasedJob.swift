internal import Bus
internal import KithMessages

/// A job of the ``LeaseTable``.
struct LeasedJob: Sendable {
  /// The phase between commits.
  enum Phase: Sendable, Equatable {
    /// Waits for a worker, at least until this time.
    case queued(notBefore: ContinuousClock.Instant)
    /// The lease is being committed; the job is not sent yet.
    case granting
    /// The job was sent to the worker.
    case leased
    /// The end is being committed.
    case ending
    /// The worker was lost and the job must not be repeated; only its end may still arrive.
    case unknown
  }

  /// The current lease.
  struct Lease: Sendable, Equatable {
    let id: String
    let instance: String
    var expiresAt: ContinuousClock.Instant
    var heardAt: ContinuousClock.Instant
    /// Set while the worker is disconnected: until then it may resume the lease.
    var graceUntil: ContinuousClock.Instant?
  }

  var record: JobRecord
  /// Whether it must run at most once.
  let isOnce: Bool
  /// Whether a caller waits for it; only then is it leased. A job from the last process continues with the worker that has
  /// it, but its caller may have replaced it by now.
  var isClaimed = true
  var phase: Phase
  var lease: Lease?
  /// Past leases with their attempts; an end from such a worker may still be accepted.
  var past: [String: UInt32] = [:]
  /// The attempt of the last stored batch.
  var batchAttempt: UInt32 = 0
  /// The number of accepted batches; the caller is storing those after `record.batches`.
  var received: UInt32
  /// The checkpoints of the batches that are being stored.
  var checkpoints: [UInt32: [UInt8]] = [:]
  var progress = Progress()

  init(_ record: JobRecord, isOnce: Bool, phase: Phase) {
    self.record = record
    self.isOnce = isOnce
    self.phase = phase
    self.received = record.batches
  }

  /// Whether the worker with this lease may continue: it has the job, or the outcome is unknown and it may still report
  /// the end.
  func isHeld(under leaseID: String) -> Bool {
    leaseID == self.lease?.id || (self.phase == .unknown && leaseID == self.record.leaseID)
  }

  /// Whether the worker with this lease may report the job's end.
  ///
  /// A past lease may, unless a batch of a later one is stored: its batches and its end would not belong together.
  func accepts(_ leaseID: String) -> Bool {
    if leaseID == self.lease?.id { return self.phase != .granting }
    if self.phase == .unknown { return leaseID == self.record.leaseID }
    return self.past[leaseID].map { $0 >= self.batchAttempt } ?? false
  }

  /// When the lease is lost unless its worker is heard.
  ///
  /// A job that must run at most once waits for the end of the lease: by then a disconnected worker has stopped by its own
  /// clock. If it were lost earlier, the worker could still run it after the caller was told that the outcome is unknown,
  /// checked the result and started again.
  func end(of lease: Lease) -> ContinuousClock.Instant {
    self.isOnce ? lease.expiresAt : min(lease.expiresAt, lease.graceUntil ?? lease.expiresAt)
  }

  /// Ends the lease.
  mutating func endLease() {
    if let lease { self.past[lease.id] = self.record.attempt }
    self.lease = nil
  }
}

/// The times and limits of the work plane: protocol.md, "Workers".
struct WorkTiming: Sendable {
  /// The interval of heartbeats of both sides.
  var heartbeat = Duration.milliseconds(2500)
  /// The silence after which a worker counts as gone: four heartbeats.
  var silence = Duration.seconds(10)
  /// The length of a lease without renewal.
  var lease = Duration.seconds(30)
  /// How long a disconnected worker may resume its leases; for at-most-once jobs, until the lease ends.
  var grace = Duration.seconds(10)
  /// The number of lost workers after which a job is dead.
  var attempts: UInt32 = 5
  /// The waits after losses.
  var backoff = Backoff(first: 1_000_000_000, longest: 60_000_000_000)
  /// The most unacknowledged batches of a job.
  var window: UInt32 = 2
}
