internal import Bus
internal import KithMessages
internal import Storage

/// Whether the server is asked at all now: after it said that it was asked too often, and while it cannot be reached, all work
/// waits together, and not each piece of it by itself. Times are nanoseconds of a clock that never goes back.
struct ServerGate: Sendable, Equatable {
  /// The waits of something that failed: half of each for certain, the rest by chance.
  static let backoff = Backoff(first: 1_000_000_000, longest: OutboxEntry.longestWait, spread: 0.5...1)

  /// Nil while it is open.
  private(set) var until: Int64?
  private var cause: Failure?
  /// Until when the server itself wants nothing; nil = it named no time. Nobody may shorten that.
  private var orderedUntil: Int64?
  private var failures = 0

  /// Whether nothing is asked at a moment.
  func isClosed(now: Int64) -> Bool { self.until.map { now < $0 } ?? false }

  /// Why nothing is asked at a moment; nil while it is open. Where the server named a time, with what is left of it.
  func refusal(now: Int64) -> Failure? {
    guard self.isClosed(now: now), var cause = self.cause else { return nil }
    if let orderedUntil { cause.status.retryAfterMs = UInt32(clamping: max(0, orderedUntil - now) / 1_000_000) }
    return cause
  }

  /// As ``refusal(now:)``, for somebody who waits for the answer: only what the server itself ordered counts.
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

  /// A person wants it tried now. Only what the server itself ordered stands.
  mutating func force(now: Int64) {
    self.until = self.orderedUntil.flatMap { now < $0 ? $0 : nil }
  }
}
