internal import Bus
internal import KithMessages

/// A write that waits for its group.
struct PendingWrite: Sendable {
  /// Runs after COMMIT: settles the ticket and resumes the caller.
  typealias Conclusion = @Sendable () -> Void

  /// The cause of its events.
  let cause: String
  /// Runs in the group's transaction, possibly twice (see ``GroupCommit``). An error undoes this write only.
  let perform: @Sendable (Transaction) throws(Failure) -> Conclusion
  /// Tells the caller that the write was not stored.
  let fail: @Sendable (Failure) -> Void
}

/// The writes that wait for the writer, in order.
struct WriteQueue: Sendable {
  private var waiting: [PendingWrite] = []
  private var isDraining = false
  private var isClosed = false

  /// The result of adding a write.
  enum Admission {
    /// The writer is running and will take it.
    case queued
    /// Queued, and the writer must be started.
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

  /// The writes of the next group; empty if the writer can stop.
  mutating func takeGroup(atMost count: Int) -> [PendingWrite] {
    let group = Array(self.waiting.prefix(count))
    self.waiting.removeFirst(group.count)
    if group.isEmpty { self.isDraining = false }
    return group
  }

  /// Puts back the writes that did not fit the group's time.
  mutating func putBack(_ writes: some Collection<PendingWrite>) { self.waiting.insert(contentsOf: writes, at: 0) }

  /// The number of writes that are in no group yet.
  var count: Int { self.waiting.count }

  /// Whether no write waits and none runs.
  var isIdle: Bool { !self.isDraining }

  /// Refuses later writes.
  mutating func close() { self.isClosed = true }

  private static let limit = 4096
  private static let full = Failure(
    .resourceExhausted, "QUEUE_FULL", "Too many writes are waiting for the disk. Try again in a moment.",
    retryAfterMilliseconds: 200)
}
