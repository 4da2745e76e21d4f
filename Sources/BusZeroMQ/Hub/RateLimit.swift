/// So many at once, and one more for each interval that passes. A pure value.
struct RateLimit: Sendable, Hashable {
  private let burst: Int
  private let interval: Duration
  private var left: Int
  private var filledAt: ContinuousClock.Instant?

  /// Begins full.
  init(burst: Int, interval: Duration) {
    self.burst = burst
    self.interval = interval
    self.left = burst
  }

  /// Takes one; false when none is left.
  mutating func take(_ now: ContinuousClock.Instant) -> Bool {
    let filledAt = self.filledAt ?? now
    let grown = Int((now - filledAt) / self.interval)
    self.left = min(self.burst, self.left + max(0, grown))
    // What has passed of the next one counts, except when there is no room for it.
    self.filledAt = self.left == self.burst ? now : filledAt + self.interval * max(0, grown)
    guard self.left > 0 else { return false }
    self.left -= 1
    return true
  }
}
