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
