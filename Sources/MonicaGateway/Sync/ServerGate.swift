internal import Bus
internal import KithMessages
internal import Storage

/// Whether the server is asked at all now: after it said that it was asked too often, and while it cannot be reached, all work
/// waits together, and not each piece of it by itself. Times are nanoseconds of a clock that never goes back.
struct ServerGate: Sendable, Equatable {
  /// The first wait of something that failed; it doubles up to ``longestBackoff``.
  static let firstBackoff: Int64 = 1_000_000_000
  static let longestBackoff = OutboxEntry.longestWait

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
    self.until = max(self.orderedUntil ?? now, now + Self.backoff(attempts: self.failures, jitter: jitter))
  }

  /// The server answered. An answer to what was asked before it was closed changes nothing.
  mutating func open(now: Int64) {
    if !self.isClosed(now: now) { self = Self() }
  }

  /// A person wants it tried now. Only what the server itself ordered stands.
  mutating func force(now: Int64) {
    self.until = self.orderedUntil.flatMap { now < $0 ? $0 : nil }
  }

  /// How long to wait after so many failures: half of it for certain, the rest by chance, so that many do not come at once.
  ///
  /// - Parameters:
  ///   - attempts: Failures so far, at least 1.
  ///   - jitter: 0 to 1.
  static func backoff(attempts: Int, jitter: Double) -> Int64 {
    let full = min(Self.firstBackoff << Int64(min(max(attempts, 1) - 1, 20)), Self.longestBackoff)
    return full / 2 + Int64(Double(full / 2) * jitter)
  }
}
