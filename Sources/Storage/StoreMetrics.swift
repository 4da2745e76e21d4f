public import Bus
internal import CoreMetrics
internal import GRDB
internal import Instruments
internal import KithMessages

/// Counts commits and what was written, and measures how long the disk takes.
struct StoreMetrics: Sendable {
  private let commits: CoreMetrics.Timer
  private let writes: Counter
  private let failures: Counter

  init(_ factory: any MetricsFactory) {
    self.commits = MetricFamily.commitDuration.timer(in: factory)
    self.writes = MetricFamily.writes.counter(in: factory)
    self.failures = MetricFamily.failedCommits.counter(in: factory)
  }

  /// A group of writes was committed.
  func committed(writes: Int, in duration: Duration) {
    self.writes.increment(by: writes)
    self.commits.record(duration)
  }

  /// A group of writes was rolled back.
  func failed() { self.failures.increment() }
}

/// How much waits in the store.
public struct QueueLengths: Sendable, Hashable {
  /// Writes that are in no group yet.
  public let writes: Int
  /// Changes for the Monica server: those that wait or are under way, those that it refused, and conflicts.
  public let outbox: OutboxCounts
  /// Messages that wait for their channels or are under way.
  public let deliveries: Int

  /// Makes lengths; none waits by default.
  public init(writes: Int = 0, outbox: OutboxCounts = OutboxCounts(), deliveries: Int = 0) {
    self.writes = writes
    self.outbox = outbox
    self.deliveries = deliveries
  }
}

extension StorageActor {
  /// How much waits.
  ///
  /// - Throws: As ``read(_:)``.
  public nonisolated func queueLengths() async throws(Failure) -> QueueLengths {
    let writes = self.group.waiting
    return try await self.read { view throws(Failure) in
      let deliveries = try view.attempt { database in
        try database.first("SELECT count(*) FROM delivery WHERE state \(DeliveryState.open.inSQL)") { $0.integer(0) }
      }
      return QueueLengths(writes: writes, outbox: try view.outbox.counts(), deliveries: Int(deliveries ?? 0))
    }
  }
}
