internal import Bus
internal import KithMessages
internal import Storage

/// Stops all requests while the server is rate-limiting us or unreachable: all changes wait together. Times are nanoseconds of a
/// monotonic clock.
struct ServerGate: Sendable, Equatable {
  /// The waits of something that failed: half of each for certain, the rest by chance.
  static let backoff = Backoff(first: 1_000_000_000, longest: OutboxEntry.longestWait, spread: 0.5...1)

  /// Nil while it is open.
  private(set) var until: Int64?
  private var cause: Failure?
  /// Until when the server itself forbids requests; nil if it named no time. No command shortens it.
  private var orderedUntil: Int64?
  private var failures = 0

  /// Whether requests are stopped at a moment.
  func isClosed(now: Int64) -> Bool { self.until.map { now < $0 } ?? false }

  /// Why requests are stopped at a moment; nil while they are not. With the remaining time if the server named one.
  func refusal(now: Int64) -> Failure? {
    guard self.isClosed(now: now), var cause = self.cause else { return nil }
    if let orderedUntil { cause.status.retryAfterMs = UInt32(clamping: max(0, orderedUntil - now) / 1_000_000) }
    return cause
  }

  /// As ``refusal(now:)``, for a command that a person waits for: only a time that the server named counts.
  func order(now: Int64) -> Failure? {
    self.orderedUntil.map { now < $0 } ?? false ? self.refusal(now: now) : nil
  }

  /// Something failed that will fail for everything else as well. Several are under way at once: what one was told to
  /// wait for stands, whatever another meets.
  mutating func close(_ failure: Failure, now: Int64, jitter: Double) {
    self.failures += 1
    let before = self.orderedUntil.flatMap { now < $0 ? $0 : nil }
    let ordered = failure.status.retryAfterMs > 0 ? now + Int64(failure.status.retryAfterMs) * 1_000_000 : nil
    self.orderedUntil = [before, ordered].compactMap(\.self).max()
    if before == nil || self.orderedUntil != before { self.cause = failure }
    self.until = max(self.orderedUntil ?? now, now + Self.backoff.wait(after: self.failures, jitter: jitter))
  }

  /// The server answered. An answer to what was asked before it was closed changes nothing.
  mutating func open(now: Int64) {
    if !self.isClosed(now: now) { self = Self() }
  }

  /// A person requests a retry now. Only a time that the server named still holds.
  mutating func force(now: Int64) {
    self.until = self.orderedUntil.flatMap { now < $0 ? $0 : nil }
  }
}
