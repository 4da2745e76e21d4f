public import CivilTime

/// When the daily reminder comes: once for every day that its zone has, at a time of that day's clocks.
///
/// A value without a clock: the time and the zone are passed in, and what is to be done is given back. What is kept of it
/// between runs is ``lastDay`` alone, so that a restart, a clock that is set back and a journey repeat nothing.
public struct DailySchedule: Sendable, Equatable {
  /// What is to be done.
  public enum Directive: Sendable, Equatable {
    /// Remind, for this day. `isLate`: it should have come more than a minute ago.
    case remind(day: Day, isLate: Bool)
    /// Note that the day's reminder did not come: this machine was off, or asleep, for too long.
    case noteMissed(day: Day)
    /// Note that the day's reminder was not needed.
    case noteSatisfied(day: Day)
  }

  /// When on the clock.
  public let time: TimeOfDay
  /// How late it may still come, in nanoseconds. It never comes after the midnight that follows.
  public let catchUp: Int64
  /// Whether it only comes on days on which nothing was recorded.
  public let onlyIfNothingRecorded: Bool
  /// The last day that was dealt with.
  public private(set) var lastDay: Day

  /// Goes on with a schedule that was kept.
  public init(time: TimeOfDay, catchUp: Int64, onlyIfNothingRecorded: Bool, lastDay: Day) {
    self.time = time
    self.catchUp = catchUp
    self.onlyIfNothingRecorded = onlyIfNothingRecorded
    self.lastDay = lastDay
  }

  /// Begins a schedule, or changes one: a time that has passed today comes tomorrow.
  ///
  /// - Parameter handled: The last day of the schedule before, which is not dealt with again; nil = there was none.
  public init(
    time: TimeOfDay, catchUp: Int64, onlyIfNothingRecorded: Bool, handled: Day?, now: Int64, zone: Zone
  ) {
    let today = zone.day(at: now)
    let hasPassed = zone.instant(of: today, at: time).map { $0 <= now } ?? true
    let begun = hasPassed ? today : today.adding(days: -1)
    self.init(
      time: time, catchUp: catchUp, onlyIfNothingRecorded: onlyIfNothingRecorded,
      lastDay: max(begun, min(handled ?? begun, today)))
  }

  /// When the next reminder comes.
  public func next(in zone: Zone) -> Int64 {
    var day = self.lastDay
    while true {
      day = day.adding(days: 1)
      // A zone that leaves a day out has the one after it.
      if let instant = zone.instant(of: day, at: self.time) { return instant }
    }
  }

  /// Deals with every day whose time has come.
  ///
  /// - Parameter hasRecorded: Whether something was recorded on a day.
  public mutating func advance(
    to now: Int64, in zone: Zone, hasRecorded: (Day) -> Bool
  ) -> [Directive] {
    let today = zone.day(at: now)
    // Only a clock that was wrong has dealt with days to come; a journey around the world gains one.
    if self.lastDay > today.adding(days: 1) { self.lastDay = today.adding(days: -1) }
    if self.lastDay < today.adding(days: -Self.daysThatAreNoted) {
      self.lastDay = today.adding(days: -Self.daysThatAreNoted)
    }
    var directives: [Directive] = []
    while let day = self.due(at: now, in: zone) {
      self.lastDay = day.date
      guard day.instant.map({ self.mayStillCome($0, now: now, zone: zone) }) ?? false else {
        if day.instant != nil { directives.append(.noteMissed(day: day.date)) }
        continue
      }
      if self.onlyIfNothingRecorded && hasRecorded(day.date) {
        directives.append(.noteSatisfied(day: day.date))
      } else {
        let lateness = now - (day.instant ?? now)
        directives.append(.remind(day: day.date, isLate: lateness > Self.punctual))
      }
    }
    return directives
  }

  /// The day after the last one, when its time has come or it was left out.
  private func due(at now: Int64, in zone: Zone) -> (date: Day, instant: Int64?)? {
    let date = self.lastDay.adding(days: 1)
    guard let instant = zone.instant(of: date, at: self.time) else {
      return date < zone.day(at: now) ? (date, nil) : nil
    }
    return instant <= now ? (date, instant) : nil
  }

  private func mayStillCome(_ instant: Int64, now: Int64, zone: Zone) -> Bool {
    now - instant <= self.catchUp && zone.day(at: instant) == zone.day(at: now)
  }

  private static let punctual: Int64 = 60_000_000_000
  private static let daysThatAreNoted = 31
}
