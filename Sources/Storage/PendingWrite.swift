internal import Bus
internal import KithMessages

/// A write that waits for its group.
struct PendingWrite: Sendable {
  /// What runs after COMMIT: settling and resuming whoever waits.
  typealias Conclusion = @Sendable () -> Void

  /// Named as the cause of its events.
  let cause: String
  /// Runs in the group's transaction, maybe twice (see ``GroupCommit``). What it throws undoes this write alone.
  let perform: @Sendable (Transaction) throws(Failure) -> Conclusion
  /// Tells whoever waits that nothing of it was stored.
  let fail: @Sendable (Failure) -> Void
}

/// What waits for the writer, in order.
struct WriteQueue: Sendable {
  private var waiting: [PendingWrite] = []
  private var isDraining = false
  private var isClosed = false

  /// What became of a write that was handed in.
  enum Admission {
    /// The writer will get to it.
    case queued
    /// Likewise, and the writer has to be started.
    case queuedFirst
    /// Not taken.
    case refused(Failure)
  }

  mutating func add(_ write: PendingWrite) -> Admission {
    guard !self.isClosed else { return .refused(.storeClosed) }
    guard self.waiting.count < Self.limit else { return .refused(Self.full) }
    self.waiting.append(write)
    guard !self.isDraining else { return .queued }
    self.isDraining = true
    return .queuedFirst
  }

  /// The writes of the next group; none = the writer rests.
  mutating func takeGroup(atMost count: Int) -> [PendingWrite] {
    let group = Array(self.waiting.prefix(count))
    self.waiting.removeFirst(group.count)
    if group.isEmpty { self.isDraining = false }
    return group
  }

  /// Puts back what the group had no time for.
  mutating func putBack(_ writes: some Collection<PendingWrite>) { self.waiting.insert(contentsOf: writes, at: 0) }

  /// Writes that are in no group yet.
  var count: Int { self.waiting.count }

  /// Whether nothing waits and nothing runs.
  var isIdle: Bool { !self.isDraining }

  /// Refuses whatever comes later.
  mutating func close() { self.isClosed = true }

  private static let limit = 4096
  private static let full = Failure(
    .resourceExhausted, "QUEUE_FULL", "Too many writes are waiting for the disk. Try again in a moment.",
    retryAfterMilliseconds: 200)
}
