internal import Bus
public import CivilTime
internal import KithMessages

/// When the daily reminder is due: once for every day of its zone, at a local time.
///
/// A value without a clock: the time and the zone are passed in, and directives are returned. Only ``lastDay`` is
/// stored between runs, so that a restart, a clock that is set back and a journey repeat no reminder.
///
/// ```swift
/// let next = schedule.next(in: zone)  // wait until then
/// for directive in schedule.advance(to: now, in: zone, hasRecorded: { recorded.contains($0) }) { handle(directive) }
/// ```
public struct DailySchedule: Sendable, Equatable {
  /// What to do.
  public enum Directive: Sendable, Equatable {
    /// Remind, for this day. `isLate`: the reminder was due more than a minute ago.
    case remind(day: Day, isLate: Bool)
    /// Record that the day's reminder was missed: this machine was off, or asleep, for too long.
    case noteMissed(day: Day)
    /// Record that the day's reminder was not needed.
    case noteSatisfied(day: Day)
  }

  /// The local time of the reminder.
  public let time: TimeOfDay
  /// How late the reminder may come, in nanoseconds. It never comes after the following midnight.
  public let catchUp: Int64
  /// True to remind only on days without an entry.
  public let onlyIfNothingRecorded: Bool
  /// The last day that was handled.
  public private(set) var lastDay: Day

  /// Continues a stored schedule.
  public init(time: TimeOfDay, catchUp: Int64, onlyIfNothingRecorded: Bool, lastDay: Day) {
    self.time = time
    self.catchUp = catchUp
    self.onlyIfNothingRecorded = onlyIfNothingRecorded
    self.lastDay = lastDay
  }

  /// Starts or changes a schedule: a time that is to come today is due today, even if another time of today has been handled; a time
  /// that has passed is due tomorrow.
  public init(time: TimeOfDay, catchUp: Int64, onlyIfNothingRecorded: Bool, now: Int64, zone: Zone) {
    let today = zone.day(at: now)
    let hasPassed = zone.instant(of: today, at: time).map { $0 <= now } ?? true
    self.init(
      time: time, catchUp: catchUp, onlyIfNothingRecorded: onlyIfNothingRecorded,
      lastDay: hasPassed ? today : today.adding(days: -1))
  }

  /// The time of the next reminder.
  public func next(in zone: Zone) -> Int64 {
    var day = self.lastDay
    while true {
      day = day.adding(days: 1)
      // If a zone skips a day, the day after it is used.
      if let instant = zone.instant(of: day, at: self.time) { return instant }
    }
  }

  /// Handles every day whose time has come.
  ///
  /// - Parameter hasRecorded: Returns true if there is an entry for a day.
  public mutating func advance(
    to now: Int64, in zone: Zone, hasRecorded: (Day) -> Bool
  ) -> [Directive] {
    let today = zone.day(at: now)
    // Days in the future were handled only while the clock was wrong; a journey around the world gains one day.
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

  /// The day after the last one, if its time has come or the zone skips it.
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
  /// The schedule; nil while reminders are off.
  var schedule: DailySchedule? {
    guard self.enabled, let time = TimeOfDay(self.time), let last = Day(self.lastDay) else { return nil }
    return DailySchedule(
      time: time, catchUp: self.catchUp, onlyIfNothingRecorded: self.onlyIfNothingRecorded, lastDay: last)
  }

  /// The chosen zone; nil for the machine's.
  var zone: Zone? { Zone(named: self.timeZone) }

  /// The reminder of a request, which replaces the previous one.
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
    guard self.catchUpMinutes <= 1440 else {
      throw .invalid(field: "catch_up_minutes", "must be at most 1440 minutes (a day).")
    }
    self.time = time.description
    let schedule = DailySchedule(
      time: time, catchUp: self.catchUp, onlyIfNothingRecorded: self.onlyIfNothingRecorded,
      now: now, zone: self.zone ?? systemZone)
    self.lastDay = schedule.lastDay.description
  }

  /// Adds the fields that are computed instead of stored.
  ///
  /// - Parameters:
  ///   - channels: The channels that it is sent over.
  ///   - last: The last deliveries.
  mutating func show(in systemZone: Zone, over channels: [String], last: [ReminderDelivery] = []) {
    self.delivery = !self.enabled ? "off" : channels.isEmpty ? "events" : channels.joined(separator: ", ")
    self.deliveries = last
    self.clearNextAt()
    if let schedule { self.nextAt = .init(nanosecondsSince1970: schedule.next(in: self.zone ?? systemZone)) }
  }

  /// How late the reminder may come, in nanoseconds.
  var catchUp: Int64 { Int64(self.catchUpMinutes == 0 ? 360 : self.catchUpMinutes) * 60_000_000_000 }
}
