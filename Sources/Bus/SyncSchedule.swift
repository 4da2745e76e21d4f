package import KithMessages

/// Plans passes: at the start, at an interval, and shortly after a notice, such as of changed files.
///
/// Times are nanoseconds of a monotonic clock.
package struct SyncSchedule: Sendable, Equatable {
  /// The time between two regular passes; nil = no regular passes.
  private let interval: Int64?
  private var nextRegular: Int64?
  private var noticed: (first: Int64, last: Int64)?
  private var failures = 0
  /// Whether a person helped since the last pass began.
  private var wasHelped = false

  /// A pass starts when nothing has changed for this time, because programs write many files one after another.
  package static let quiet: Int64 = 500_000_000
  /// A pass starts at the latest after this time, even if changes continue.
  package static let longestQuiet: Int64 = 5_000_000_000
  /// The waits after failures.
  package static let backoff = Backoff(first: 5_000_000_000, longest: 300_000_000_000, spread: 1...1.2)

  /// The outcome of a pass.
  package enum Outcome: Sendable, Equatable {
    case completed
    /// The pass failed and is retried, not before `retryAfter` nanoseconds if the server named a time.
    case failed(retryAfter: Int64?)
    /// A person has to act. It is not retried, because repeated logins lock accounts.
    case needsPerson

    /// Reads the outcome from the status of a pass; nil = the store could not be written.
    package init(_ status: SyncStatus?) {
      switch status?.state {
      case .completed: self = .completed
      case .error where status?.error.code == .unauthenticated: self = .needsPerson
      default:
        let milliseconds = Int64(status?.error.retryAfterMs ?? 0)
        self = .failed(retryAfter: milliseconds > 0 ? milliseconds * 1_000_000 : nil)
      }
    }
  }

  /// Whether passes wait for a person.
  package private(set) var needsPerson = false

  /// Makes a schedule.
  ///
  /// - Parameters:
  ///   - interval: In nanoseconds; nil = passes only after notices.
  ///   - startsNow: Whether the first pass is due now.
  package init(interval: Int64?, startsNow: Bool, now: Int64) {
    self.interval = interval
    self.nextRegular = startsNow ? now : interval.map { now + $0 }
  }

  /// Records a change.
  package mutating func notice(now: Int64) {
    self.noticed = (self.noticed?.first ?? now, now)
  }

  /// Begins a pass, which covers all changes recorded so far.
  package mutating func begin() {
    self.noticed = nil
    self.nextRegular = nil
    self.wasHelped = false
  }

  /// Ends a pass.
  ///
  /// - Parameter jitter: 0 to 1; see ``Backoff``.
  package mutating func end(_ outcome: Outcome, jitter: Double, now: Int64) {
    self.needsPerson = outcome == .needsPerson && !self.wasHelped
    switch outcome {
    case .completed:
      self.failures = 0
      self.nextRegular = self.interval.map { now + $0 }
    case .needsPerson:
      self.failures += 1
      // A password that was given during the pass is tried at once.
      self.nextRegular = self.wasHelped ? now : nil
    case .failed(let retryAfter):
      self.failures += 1
      let backoff = Self.backoff
      let wait = max(
        min(backoff.wait(after: self.failures), max(self.interval ?? .max, backoff.first)), retryAfter ?? 0)
      self.nextRegular = now + backoff.spread(wait, jitter: jitter)
    }
  }

  /// Records that a person did what the passes waited for.
  package mutating func helped(now: Int64) {
    self.wasHelped = true
    guard self.needsPerson else { return }
    self.needsPerson = false
    self.nextRegular = now
  }

  /// When the next pass is due; nil if none is planned.
  package var due: Int64? {
    let noticed = self.noticed.map { min($0.last + Self.quiet, $0.first + Self.longestQuiet) }
    return [self.nextRegular, noticed].compactMap(\.self).min()
  }

  package static func == (left: SyncSchedule, right: SyncSchedule) -> Bool {
    left.due == right.due && left.failures == right.failures
  }
}
