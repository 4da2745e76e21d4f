/// When a source is due: at the start, every so often, and shortly after its files changed.
///
/// Times are nanoseconds of a clock that never goes back.
struct SyncSchedule: Sendable, Equatable {
  /// Between two passes without a cause; nil = never.
  private let interval: Int64?
  private var nextRegular: Int64?
  private var noticed: (first: Int64, last: Int64)?
  private var failures = 0

  /// A change is waited out for so long, because a program writes many files one after another.
  static let quiet: Int64 = 500_000_000
  /// Changes that never end are taken up after so long.
  static let patience: Int64 = 5_000_000_000
  /// The first wait after a failure; it doubles up to ``longestBackoff``.
  static let firstBackoff: Int64 = 5_000_000_000
  static let longestBackoff: Int64 = 300_000_000_000

  /// Makes a schedule.
  ///
  /// - Parameters:
  ///   - interval: Nanoseconds; nil = only on notice.
  ///   - startsNow: Whether the source is due at once.
  init(interval: Int64?, startsNow: Bool, now: Int64) {
    self.interval = interval
    self.nextRegular = startsNow ? now : interval.map { now + $0 }
  }

  /// Files of the source changed.
  mutating func notice(now: Int64) {
    self.noticed = (self.noticed?.first ?? now, now)
  }

  /// A pass begins: what was noticed before is seen by it.
  mutating func begin() {
    self.noticed = nil
    self.nextRegular = nil
  }

  /// A pass has ended.
  mutating func end(succeeded: Bool, now: Int64) {
    self.failures = succeeded ? 0 : self.failures + 1
    guard !succeeded else {
      self.nextRegular = self.interval.map { now + $0 }
      return
    }
    let backoff = min(Self.firstBackoff << Int64(min(self.failures - 1, 16)), Self.longestBackoff)
    self.nextRegular = now + min(backoff, max(self.interval ?? .max, Self.firstBackoff))
  }

  /// When the source is due next; nil when nothing is planned.
  var due: Int64? {
    let noticed = self.noticed.map { min($0.last + Self.quiet, $0.first + Self.patience) }
    return [self.nextRegular, noticed].compactMap(\.self).min()
  }

  static func == (left: SyncSchedule, right: SyncSchedule) -> Bool {
    left.due == right.due && left.failures == right.failures
  }
}
