internal import Bus
internal import CivilTime
internal import KithMessages

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
