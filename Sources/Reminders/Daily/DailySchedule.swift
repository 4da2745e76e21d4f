internal import Bus
public import CivilTime
internal import KithMessages

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

extension DailyReminder {
  /// Its schedule; nil while it is off.
  var schedule: DailySchedule? {
    guard self.enabled, let time = TimeOfDay(self.time), let last = Day(self.lastDay) else { return nil }
    return DailySchedule(
      time: time, catchUp: self.catchUp, onlyIfNothingRecorded: self.onlyIfNothingRecorded, lastDay: last)
  }

  /// The zone that was named; nil = the machine's.
  var zone: Zone? { Zone(named: self.timeZone) }

  /// The reminder that a request asks for, in the place of the one before.
  ///
  /// - Throws: `FIELD_INVALID` naming the field.
  init(
    _ request: SetDailyReminderRequest, before: DailyReminder, now: Int64, systemZone: Zone
  ) throws(Failure) {
    self = before
    self.enabled = request.enabled
    self.clearNextAt()
    self.deliveries = []
    guard request.enabled else { return }
    if !request.time.isEmpty { self.time = request.time }
    if !request.timeZone.isEmpty { self.timeZone = request.timeZone == "system" ? "" : request.timeZone }
    if request.hasOnlyIfNothingRecorded { self.onlyIfNothingRecorded = request.onlyIfNothingRecorded }
    if request.catchUpMinutes > 0 { self.catchUpMinutes = request.catchUpMinutes }
    guard let time = TimeOfDay(self.time) else { throw .invalid(field: "time", "must be a time as HH:MM.") }
    guard self.timeZone.isEmpty || self.zone != nil else {
      throw .invalid(field: "time_zone", "must be the name of a time zone such as Asia/Tokyo, or system.")
    }
    guard self.catchUpMinutes <= 1440 else { throw .invalid(field: "catch_up_minutes", "may be a day, 1440.") }
    self.time = time.description
    let schedule = DailySchedule(
      time: time, catchUp: self.catchUp, onlyIfNothingRecorded: self.onlyIfNothingRecorded,
      handled: Day(before.lastDay), now: now, zone: self.zone ?? systemZone)
    self.lastDay = schedule.lastDay.description
  }

  /// Fills in what is read and not kept.
  ///
  /// - Parameters:
  ///   - channels: Over which it goes.
  ///   - last: What became of the last one on channels.
  mutating func show(in systemZone: Zone, over channels: [String], last: [ReminderDelivery] = []) {
    self.delivery = !self.enabled ? "off" : channels.isEmpty ? "events" : channels.joined(separator: ", ")
    self.deliveries = last
    self.clearNextAt()
    if let schedule { self.nextAt = .init(nanosecondsSince1970: schedule.next(in: self.zone ?? systemZone)) }
  }

  /// How late it may come, in nanoseconds.
  var catchUp: Int64 { Int64(self.catchUpMinutes == 0 ? 360 : self.catchUpMinutes) * 60_000_000_000 }
}
