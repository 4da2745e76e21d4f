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
