/// The waits after consecutive failures: each is twice as long as the one before, up to a bound, with random jitter, so
/// that clients that failed together do not retry together.
///
/// ```swift
/// let backoff = Backoff(first: 1_000_000_000, longest: 60_000_000_000, spread: 0.5...1)
/// backoff.wait(after: 3, jitter: .random(in: 0...1))   // 2 to 4 s, in nanoseconds
/// ```
public struct Backoff: Sendable, Hashable {
  /// The wait after the first failure, in nanoseconds.
  public let first: Int64
  /// The longest wait, in nanoseconds.
  public let longest: Int64
  private let spread: ClosedRange<Double>

  /// Makes the waits from `first` to `longest` nanoseconds.
  ///
  /// - Parameter spread: The smallest and the largest factor that jitter applies to a wait.
  public init(first: Int64, longest: Int64, spread: ClosedRange<Double> = 1...1) {
    self.first = first
    self.longest = longest
    self.spread = spread
  }

  /// The wait after a number of failures, in nanoseconds. 0 failures count as 1.
  public func wait(after failures: Int) -> Int64 {
    // Compared before shifting: the shift could overflow where the bound applies.
    let doublings = Int64(min(max(failures, 1) - 1, 62))
    return self.first > self.longest >> doublings ? self.longest : self.first << doublings
  }

  /// The wait after a number of failures with jitter, in nanoseconds.
  ///
  /// - Parameter jitter: 0 to 1.
  public func wait(after failures: Int, jitter: Double) -> Int64 {
    self.spread(self.wait(after: failures), jitter: jitter)
  }

  /// Adds jitter to any wait, for example to one that a server requested.
  ///
  /// - Parameter jitter: 0 to 1.
  public func spread(_ wait: Int64, jitter: Double) -> Int64 {
    Int64(Double(wait) * (self.spread.lowerBound + jitter * (self.spread.upperBound - self.spread.lowerBound)))
  }
}

/// When a stored retry is due: a time of day and the longest wait.
///
/// Due times in the store are times of day, because the next process shares no other clock with this one. Clocks can be
/// wrong: a clock that was hours ahead leaves due times that are hours away once it is corrected. A due time farther
/// away than the back-off was therefore written by a wrong clock, and counts as due.
///
/// ```swift
/// let due = Due(at: entry.nextAttemptAt, atMost: backoff)
/// if due.isDue(at: now) { send(entry) } else { wake(at: due.at) }
/// ```
///
/// Not for times that a person chose, such as a reminder at nine, and not for deletions, which must never come early.
public struct Due: Sendable, Hashable {
  /// Nanoseconds since 1970.
  public let at: Int64
  /// The longest wait, in nanoseconds.
  public let longest: Int64

  /// Makes a due time that is never farther away than its back-off.
  public init(at instant: Int64, atMost longest: Int64) {
    self.at = instant
    self.longest = longest
  }

  /// Whether it is due at `now`.
  public func isDue(at now: Int64) -> Bool { self.at <= now || self.at > Self.latest(at: now, atMost: self.longest) }

  /// When it is due, seen from `now`: at most one back-off later.
  public func moment(from now: Int64) -> Int64 { self.isDue(at: now) ? min(self.at, now) : self.at }

  /// The latest due time that a correct clock can have set before `now`. Queries treat a due time as waiting if it is
  /// later than `now` and not later than this.
  public static func latest(at now: Int64, atMost longest: Int64) -> Int64 {
    let (sum, overflow) = now.addingReportingOverflow(max(0, longest))
    return overflow ? .max : sum
  }
}
