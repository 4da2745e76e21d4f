internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

/// The state of the pass of one source: `idle`, `syncing`, then `completed` or `error`, with its counts.
struct PassState: Sendable {
  /// The status as clients see it.
  private(set) var status: SyncStatus
  private var lastReport: Int64 = .min

  /// The shortest time between two reports of a pass, in nanoseconds: four a second.
  static let reportInterval: Int64 = 250_000_000

  /// Continues from the stored state of a source.
  init(_ stored: SyncStatus, source name: String) {
    self.status = stored
    self.status.source = Self.key(name)
  }

  /// The prefix of the keys of contacts sources.
  static let keyPrefix = "contacts:"

  /// The source in events and their key.
  static func key(_ name: String) -> String { self.keyPrefix + name }

  /// Starts a pass: resets the counts, keeps the history.
  mutating func begin(runID: String, live: Int, now: Int64) {
    var next = SyncStatus()
    next.source = self.status.source
    next.state = .syncing
    next.runID = runID
    next.live = UInt32(clamping: live)
    next.startedAt = .init(nanosecondsSince1970: now)
    if self.status.hasLastSuccessAt { next.lastSuccessAt = self.status.lastSuccessAt }
    next.consecutiveFailures = self.status.consecutiveFailures
    self.status = next
    self.lastReport = now
  }

  /// The source was listed.
  mutating func list(total: Int, unchanged: Int) {
    self.status.total = UInt32(clamping: total)
    self.status.unchanged = UInt32(clamping: unchanged)
    self.status.done = self.status.unchanged
  }

  /// A batch was stored.
  mutating func count(_ counts: PassCounts) {
    self.status.added += counts.added
    self.status.updated += counts.updated
    self.status.unchanged += counts.unchanged
    self.status.revived += counts.revived
    self.status.skipped += counts.skipped
    self.status.done += counts.seen
    self.status.total = max(self.status.total, self.status.done)
  }

  /// Whether a report is due; then the next is due an interval later.
  mutating func reports(now: Int64) -> Bool {
    guard now - self.lastReport >= Self.reportInterval || now < self.lastReport else { return false }
    self.lastReport = now
    return true
  }

  /// Records items that could not be checked.
  mutating func skip(_ count: Int) { self.status.skipped += UInt32(clamping: count) }

  /// Records address books that could not be read, or whose lists are incomplete. The pass continues.
  ///
  /// - Parameters:
  ///   - unavailable: The names of those that could not be read.
  ///   - partial: The names of those whose lists are not complete.
  mutating func note(unavailable: [String], partial: [String]) {
    guard !unavailable.isEmpty || !partial.isEmpty else { return }
    func named(_ books: [String]) -> String { books.map { "'\($0)'" }.joined(separator: ", ") }
    let sentences = [
      unavailable.count == 1 ? "The address book \(named(unavailable)) could not be read. Its contacts stay." : nil,
      unavailable.count > 1
        ? "\(unavailable.count) address books could not be read: \(named(unavailable)). Their contacts stay." : nil,
      partial.count == 1
        ? "The server's list of the address book \(named(partial)) is not complete. Contacts that it lacks stay." : nil,
      partial.count > 1
        ? "The server's lists of \(partial.count) address books are not complete: \(named(partial)). "
          + "Contacts that they lack stay." : nil,
    ]
    self.status.error =
      Failure(
        .unavailable, unavailable.isEmpty ? "BOOK_PARTIAL" : "BOOK_UNAVAILABLE",
        sentences.compactMap(\.self).joined(separator: " ")
      ).status
  }

  /// Cards were deleted, or their deletion is held back.
  mutating func decide(_ decision: DeletionGuard.Decision, deleted: Int) {
    self.status.deleted = UInt32(clamping: deleted)
    self.status.heldBack = UInt32(clamping: decision.held.count)
    self.status.holdReason = decision.reason?.rawValue ?? ""
  }

  /// The pass was cancelled. Stored batches stay.
  mutating func stop(now: Int64) {
    self.status.state = .idle
    self.status.finishedAt = .init(nanosecondsSince1970: now)
  }

  /// The pass has completed.
  mutating func complete(live: Int, now: Int64) {
    self.status.state = .completed
    self.status.done = self.status.total
    self.status.live = UInt32(clamping: live)
    self.status.finishedAt = .init(nanosecondsSince1970: now)
    self.status.lastSuccessAt = self.status.finishedAt
    self.status.consecutiveFailures = 0
  }

  /// The pass has failed. Stored batches stay.
  mutating func fail(_ failure: Failure, live: Int, now: Int64) {
    self.status.state = .error
    self.status.error = failure.status
    self.status.live = UInt32(clamping: live)
    self.status.finishedAt = .init(nanosecondsSince1970: now)
    self.status.consecutiveFailures += 1
  }

  /// The progress for callers that wait.
  var progress: Progress {
    var progress = Progress()
    progress.fraction = self.status.total == 0 ? 0 : Float(self.status.done) / Float(self.status.total)
    progress.stage = self.status.source
    progress.note = "\(self.status.done) of \(self.status.total)"
    return progress
  }
}

/// The counts of one batch.
struct PassCounts: Sendable, Equatable {
  var seen: UInt32 = 0
  var added: UInt32 = 0
  var updated: UInt32 = 0
  var unchanged: UInt32 = 0
  var revived: UInt32 = 0
  var skipped: UInt32 = 0
}

extension Transaction {
  /// Stores the state of a source and tells subscribers.
  func publish(_ status: SyncStatus, of source: String) throws(Failure) {
    try self.sources.setStatus(status, of: source)
    var event = Event()
    event.sync = status
    try self.emit(event, on: "sync", key: PassState.key(source))
  }
}
