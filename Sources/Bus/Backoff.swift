/// The waits after failures in a row: each twice as long as the one before, up to a bound, and spread by chance, so that many who
/// failed together do not come back together.
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
  /// - Parameter spread: The shortest and the longest that chance makes of a wait, as parts of the wait.
  public init(first: Int64, longest: Int64, spread: ClosedRange<Double> = 1...1) {
    self.first = first
    self.longest = longest
    self.spread = spread
  }

  /// The wait after so many failures, in nanoseconds; after none as after one.
  public func wait(after failures: Int) -> Int64 {
    // Compared before it is shifted: a bound may be reached that the shift would overflow.
    let doublings = Int64(min(max(failures, 1) - 1, 62))
    return self.first > self.longest >> doublings ? self.longest : self.first << doublings
  }

  /// The wait after so many failures with its share of chance, in nanoseconds.
  ///
  /// - Parameter jitter: 0 to 1.
  public func wait(after failures: Int, jitter: Double) -> Int64 {
    self.spread(self.wait(after: failures), jitter: jitter)
  }

  /// Any wait with its share of chance, as one that a server has asked for.
  ///
  /// - Parameter jitter: 0 to 1.
  public func spread(_ wait: Int64, jitter: Double) -> Int64 {
    Int64(Double(wait) * (self.spread.lowerBound + jitter * (self.spread.upperBound - self.spread.lowerBound)))
  }
}

/// When something that waits may go: a time of day, and how long it waits at most.
///
/// What waits in the store has a time of day, because the next process shares no other clock with this one. Clocks are set: one that
/// was hours ahead leaves times that are hours away once it is right. So a time that is farther away than its own back-off was written
/// by such a clock, and is due: from no moment on does anything wait longer than its back-off.
///
/// ```swift
/// let due = Due(at: entry.nextAttemptAt, atMost: backoff)
/// if due.isDue(at: now) { send(entry) } else { wake(at: due.at) }
/// ```
///
/// For what a person chose by the clock, such as a reminder at nine, and for deletions, which must never come early, it is not meant.
public struct Due: Sendable, Hashable {
  /// Nanoseconds since 1970.
  public let at: Int64
  /// The longest that it waits by a clock that is right, in nanoseconds.
  public let longest: Int64

  /// Makes a time that waits no longer than its back-off.
  public init(at instant: Int64, atMost longest: Int64) {
    self.at = instant
    self.longest = longest
  }

  /// Whether it may go at a moment.
  public func isDue(at now: Int64) -> Bool { self.at <= now || self.at > Self.latest(at: now, atMost: self.longest) }

  /// When it may go, seen from a moment: never later than its back-off from then.
  public func moment(from now: Int64) -> Int64 { self.isDue(at: now) ? min(self.at, now) : self.at }

  /// The last time of day that a clock that was right until `now` can have set: for queries, in which a time waits that is
  /// later than `now` and not later than this.
  public static func latest(at now: Int64, atMost longest: Int64) -> Int64 {
    let (sum, overflow) = now.addingReportingOverflow(max(0, longest))
    return overflow ? .max : sum
  }
}
