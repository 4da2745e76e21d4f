/// A token bucket: `burst` at once, and one more in each interval. A pure value.
///
/// ```swift
/// var lines = RateLimit(burst: 4, interval: .seconds(10))
/// if lines.take(.now) { logger.notice("no place for another connection") }
/// ```
package struct RateLimit: Sendable, Hashable {
  private let burst: Int
  private let interval: Duration
  private var left: Int
  private var filledAt: ContinuousClock.Instant?

  /// Makes a full bucket.
  package init(burst: Int, interval: Duration) {
    self.burst = burst
    self.interval = interval
    self.left = burst
  }

  /// Takes a token. Returns false if none is left.
  package mutating func take(_ now: ContinuousClock.Instant) -> Bool {
    guard self.hasTokens(now) else { return false }
    self.left -= 1
    return true
  }

  /// Whether a token is left.
  package mutating func hasTokens(_ now: ContinuousClock.Instant) -> Bool {
    let filledAt = self.filledAt ?? now
    let grown = Int((now - filledAt) / self.interval)
    self.left = min(self.burst, self.left + max(0, grown))
    // The time that has passed towards the next token counts, except if the bucket is full.
    self.filledAt = self.left == self.burst ? now : filledAt + self.interval * max(0, grown)
    return self.left > 0
  }
}
