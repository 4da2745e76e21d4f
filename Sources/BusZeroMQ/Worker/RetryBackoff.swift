/// How long a transfer waits for a sign of the other side before it says again what it has said.
///
/// A pure value. What is late is not lost, and over a slow link what is said again stands in the way of what is waited
/// for. So a wait in vain makes the next one twice as long, up to a bound, for the rest of the transfer.
struct RetryBackoff: Sendable {
  private static let longest = Duration.seconds(24)

  private var span = Duration.seconds(3)
  private var isAskedFor = false
  /// When the wait is over.
  private(set) var end: ContinuousClock.Instant

  init(_ now: ContinuousClock.Instant) { self.end = now + self.span }

  /// The other side is there.
  mutating func hear(_ now: ContinuousClock.Instant) { self.end = max(self.end, now + self.span) }

  /// The other side has asked for a pause, which is no wait in vain.
  mutating func pause(_ pause: Duration, _ now: ContinuousClock.Instant) {
    self.isAskedFor = true
    self.end = now + pause
  }

  /// The wait is over, and what was said is said again.
  mutating func again(_ now: ContinuousClock.Instant) {
    if !self.isAskedFor, self.end <= now { self.span = min(self.span * 2, Self.longest) }
    self.isAskedFor = false
    self.end = now + self.span
  }
}
