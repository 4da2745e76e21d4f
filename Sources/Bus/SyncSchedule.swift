package import KithMessages

/// When something is to be brought in step: at the start, every so often, and shortly after a notice, as of changed files.
///
/// Times are nanoseconds of a clock that never goes back.
package struct SyncSchedule: Sendable, Equatable {
  /// Between two passes without a cause; nil = never.
  private let interval: Int64?
  private var nextRegular: Int64?
  private var noticed: (first: Int64, last: Int64)?
  private var failures = 0
  /// Whether a person did something since the last pass began.
  private var wasHelped = false

  /// A change is waited out for so long, because a program writes many files one after another.
  package static let quiet: Int64 = 500_000_000
  /// Changes that never end are taken up after so long.
  package static let patience: Int64 = 5_000_000_000
  /// The waits after failures.
  package static let backoff = Backoff(first: 5_000_000_000, longest: 300_000_000_000, spread: 1...1.2)

  /// What came of a pass.
  package enum Outcome: Sendable, Equatable {
    case completed
    /// It may go better later; not before `retryAfter` nanoseconds, where the server said so.
    case failed(retryAfter: Int64?)
    /// Nothing will change before a person does something: trying on locks accounts out.
    case needsPerson

    /// Reads it from the status that a pass ended with; nil = the store could not be written.
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
  ///   - interval: Nanoseconds; nil = only on notice.
  ///   - startsNow: Whether it is due at once.
  package init(interval: Int64?, startsNow: Bool, now: Int64) {
    self.interval = interval
    self.nextRegular = startsNow ? now : interval.map { now + $0 }
  }

  /// Something changed.
  package mutating func notice(now: Int64) {
    self.noticed = (self.noticed?.first ?? now, now)
  }

  /// A pass begins: what was noticed before is seen by it.
  package mutating func begin() {
    self.noticed = nil
    self.nextRegular = nil
    self.wasHelped = false
  }

  /// A pass has ended.
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
      // A password that was given while the pass tried the one before is tried at once.
      self.nextRegular = self.wasHelped ? now : nil
    case .failed(let retryAfter):
      self.failures += 1
      let backoff = Self.backoff
      let wait = max(
        min(backoff.wait(after: self.failures), max(self.interval ?? .max, backoff.first)), retryAfter ?? 0)
      self.nextRegular = now + backoff.spread(wait, jitter: jitter)
    }
  }

  /// A person did what was waited for.
  package mutating func helped(now: Int64) {
    self.wasHelped = true
    guard self.needsPerson else { return }
    self.needsPerson = false
    self.nextRegular = now
  }

  /// When it is due next; nil when nothing is planned.
  package var due: Int64? {
    let noticed = self.noticed.map { min($0.last + Self.quiet, $0.first + Self.patience) }
    return [self.nextRegular, noticed].compactMap(\.self).min()
  }

  package static func == (left: SyncSchedule, right: SyncSchedule) -> Bool {
    left.due == right.due && left.failures == right.failures
  }
}
