internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// The state of the sync with Monica: `idle`, `syncing`, then `completed` or `error`, with its counts.
struct SyncReport: Sendable {
  /// The source in events and their key.
  static let key = "monica"
  /// The shortest time between two reports, in nanoseconds: four a second.
  static let interval: Int64 = 250_000_000

  /// The status as clients see it.
  private(set) var status: SyncStatus
  private var lastReport: Int64?
  /// The rows of the records that the running pass has counted. It may read a record several times: first the newest page
  /// of a list, then all of it, and a record of two people with either.
  private var counted: Set<Int64> = []

  /// Continues from the stored state.
  init(_ stored: SyncStatus) {
    self.status = stored
    self.status.source = Self.key
    if self.status.state == .unspecified { self.status.state = .idle }
  }

  /// Starts a pass: resets the counts, keeps the history.
  mutating func begin(runID: String, now: Int64) {
    var next = SyncStatus()
    next.source = Self.key
    next.state = .syncing
    next.runID = runID
    next.startedAt = .init(nanosecondsSince1970: now)
    if self.status.hasLastSuccessAt { next.lastSuccessAt = self.status.lastSuccessAt }
    next.consecutiveFailures = self.status.consecutiveFailures
    self.status = next
    self.lastReport = nil
    self.counted = []
  }

  /// More work was found.
  mutating func expect(_ count: Int) {
    // The server's number may be of any size.
    self.status.total = UInt32(clamping: Int(self.status.total) + Int(UInt32(clamping: count)))
  }

  /// Records of a page were stored. A record is unchanged if the whole pass has not changed it, and counts once.
  mutating func count(_ outcome: MergeReport) {
    self.status.added += UInt32(clamping: outcome.added)
    self.status.updated += UInt32(clamping: outcome.updated)
    self.counted.formUnion(outcome.changedRows)
    self.status.unchanged += UInt32(clamping: outcome.unchangedRows.subtracting(self.counted).count)
    self.counted.formUnion(outcome.unchangedRows)
    self.advance(UInt32(clamping: outcome.added + outcome.updated + outcome.unchanged + outcome.conflicts))
  }

  /// Records were deleted here, because the server no longer has them.
  mutating func count(deleted: Int) { self.status.deleted += UInt32(clamping: deleted) }

  /// The server answered a change.
  mutating func push(arrived: Bool) {
    if arrived { self.status.pushed += 1 }
    self.advance(1)
  }

  private mutating func advance(_ count: UInt32) {
    self.status.done += count
    self.status.total = max(self.status.total, self.status.done)
  }

  /// Sets the counts of changes that wait for the server.
  mutating func set(_ counts: OutboxCounts) { self.status.set(counts) }

  /// Sets the time of the next automatic pass; nil if none is planned.
  mutating func set(nextAttempt: Int64?) {
    self.status.clearNextAttemptAt()
    if let nextAttempt { self.status.nextAttemptAt = .init(nanosecondsSince1970: nextAttempt) }
  }

  /// Whether a report is due.
  func isDue(now: Int64) -> Bool {
    guard let lastReport else { return true }
    return now - lastReport >= Self.interval || now < lastReport
  }

  /// Records a report; the next is due an interval later.
  mutating func noteReport(now: Int64) { self.lastReport = now }

  /// The pass was cancelled. Stored results stay.
  mutating func stop(now: Int64) {
    self.counted = []
    self.status.state = .idle
    self.status.finishedAt = .init(nanosecondsSince1970: now)
  }

  /// The pass has completed.
  mutating func complete(now: Int64) {
    self.counted = []
    self.status.state = .completed
    self.status.total = self.status.done
    self.status.finishedAt = .init(nanosecondsSince1970: now)
    self.status.lastSuccessAt = self.status.finishedAt
    self.status.consecutiveFailures = 0
    self.status.clearError()
  }

  /// The pass has failed. Stored results stay.
  mutating func fail(_ failure: Failure, now: Int64) {
    self.counted = []
    self.status.state = .error
    self.status.error = failure.status
    self.status.finishedAt = .init(nanosecondsSince1970: now)
    self.status.consecutiveFailures += 1
  }

  /// The progress for callers that wait.
  var progress: Progress {
    var progress = Progress()
    progress.fraction = self.status.total == 0 ? 0 : Float(self.status.done) / Float(self.status.total)
    progress.stage = Self.key
    progress.note = "\(self.status.done) of \(self.status.total)"
    return progress
  }
}
