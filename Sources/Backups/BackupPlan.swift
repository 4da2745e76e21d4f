internal import Bus
public import CivilTime
public import KithMessages

/// What the household wants of its backups, and when the next one is due. A value without a clock and without files.
///
/// ```swift
/// var plan = BackupPlan(folder: "/srv/backup/kith")
/// plan.cipher = .passphrase(file: "/etc/kith/backup.passphrase")
/// let next = plan.next(after: backups, now: now, in: zone)
/// ```
public struct BackupPlan: Sendable, Hashable {
  /// The directory that backups are written to; absolute.
  public var folder: String
  /// The local time of day.
  public var at = TimeOfDay.midnight
  /// From how many of the newest days, weeks and months with a backup one is kept.
  public var keptDays = 7
  /// See ``keptDays``.
  public var keptWeeks = 4
  /// See ``keptDays``.
  public var keptMonths = 12
  /// Whether passwords, tokens and keys are in the backups.
  public var hasSecrets = false
  /// What encrypts them; nil = they are not encrypted.
  public var cipher: ArchiveCipher?
  /// A program and its first arguments, run after each sound backup with the path of its file; empty = none.
  public var command: [String] = []

  /// The name of a worker that keeps each one too, on another machine; nil = none.
  public var worker: String?

  /// Makes a plan that writes to a folder at half past three.
  public init(folder: String) {
    self.folder = folder
    self.at = TimeOfDay(hour: 3, minute: 30) ?? .midnight
  }

  /// Failed attempts are repeated after an hour, then after twice as long each time.
  private static let backoff = Backoff(first: 3_600_000_000_000, longest: 12 * 3_600_000_000_000)

  /// When the next backup is due.
  ///
  /// A day on which the machine was off at its time gets its backup when the machine is on again. Backups of a clock that was ahead
  /// do not count.
  ///
  /// - Parameter backups: What was made, newest first.
  /// - Returns: Nanoseconds since 1970; `now` or earlier = now.
  public func next(after backups: [MadeBackup], now: Int64, in zone: Zone) -> Int64 {
    let backups = Self.past(backups, now: now)
    let today = zone.day(at: now)
    let times = (-2...2).compactMap { zone.instant(of: today.adding(days: $0), at: self.at) }
    let due = times.last { $0 <= now } ?? now
    let following = times.first { $0 > now } ?? now + 86_400_000_000_000
    let good = backups.first { $0.knownState == .good }
    if let good, good.made.nanosecondsSince1970 >= due { return following }
    let failed = backups.prefix { $0.knownState == .failed && $0.made.nanosecondsSince1970 >= due }
    guard let last = failed.first else { return due }
    return min(last.made.nanosecondsSince1970 + Self.backoff.wait(after: failed.count), following)
  }

  /// The sound backups that are no longer kept: the newest of each of the newest days, weeks and months stay.
  ///
  /// Those of a clock that was ahead stay too, and take no other's place.
  ///
  /// - Parameters:
  ///   - backups: What was made, newest first.
  ///   - new: The name of one that stays in any case.
  public func surplus(
    of backups: [MadeBackup], keeping new: String, now: Int64, in zone: Zone
  ) -> [MadeBackup] {
    let good = Self.past(backups, now: now).filter { $0.knownState == .good }
    var kept: Set<String> = Set(good.prefix(1).map(\.name) + [new])
    func keep(_ count: Int, _ period: (Day) -> Int) {
      var periods: Set<Int> = []
      for backup in good {
        let day = zone.day(at: backup.made.nanosecondsSince1970)
        guard periods.count < count || periods.contains(period(day)) else { return }
        if periods.insert(period(day)).inserted { kept.insert(backup.name) }
      }
    }
    keep(self.keptDays) { $0.number }
    keep(self.keptWeeks) { $0.monday.number }
    keep(self.keptMonths) { $0.components.year * 12 + $0.components.month }
    return good.filter { !kept.contains($0.name) }
  }

  /// Those that are not dated in the future, which a clock that was ahead has made.
  static func past(_ backups: [MadeBackup], now: Int64) -> [MadeBackup] {
    backups.filter { $0.made.nanosecondsSince1970 <= now }
  }
}
