internal import Bus
internal import KithMessages
internal import Storage

/// Stops all requests while the server is rate-limiting us or unreachable: all changes wait together. Times are
/// nanoseconds of a monotonic clock.
struct ServerGate: Sendable, Equatable {
  /// The back-off after a failure: half of each pause is fixed, half is random.
  static let backoff = Backoff(first: 1_000_000_000, longest: OutboxEntry.longestWait, spread: 0.5...1)

  /// nil while requests are allowed.
  private(set) var until: Int64?
  private var cause: Failure?
  /// The time until which the server itself forbids requests; nil if it named none. No command shortens it.
  private var orderedUntil: Int64?
  private var failures = 0

  /// Whether requests are stopped now.
  func isClosed(now: Int64) -> Bool { self.until.map { now < $0 } ?? false }

  /// Why requests are stopped now, with the remaining time if the server named one; nil if they are allowed.
  func refusal(now: Int64) -> Failure? {
    guard self.isClosed(now: now), var cause = self.cause else { return nil }
    if let orderedUntil { cause.status.retryAfterMs = UInt32(clamping: max(0, orderedUntil - now) / 1_000_000) }
    return cause
  }

  /// Like ``refusal(now:)``, for a command that a person waits for: only a time that the server named counts.
  func order(now: Int64) -> Failure? {
    self.orderedUntil.map { now < $0 } ?? false ? self.refusal(now: now) : nil
  }

  /// A request failed in a way that affects all others. Several requests are in flight at once: a wait that the server
  /// named for one of them stands, whatever the others return.
  mutating func close(_ failure: Failure, now: Int64, jitter: Double) {
    self.failures += 1
    let before = self.orderedUntil.flatMap { now < $0 ? $0 : nil }
    let ordered = failure.status.retryAfterMs > 0 ? now + Int64(failure.status.retryAfterMs) * 1_000_000 : nil
    self.orderedUntil = [before, ordered].compactMap(\.self).max()
    if before == nil || self.orderedUntil != before { self.cause = failure }
    self.until = max(self.orderedUntil ?? now, now + Self.backoff.wait(after: self.failures, jitter: jitter))
  }

  /// The server answered. An answer to a request from before the gate closed changes nothing.
  mutating func open(now: Int64) {
    if !self.isClosed(now: now) { self = Self() }
  }

  /// A person requests a retry now. Only a time that the server named still holds.
  mutating func force(now: Int64) {
    self.until = self.orderedUntil.flatMap { now < $0 ? $0 : nil }
  }
}
