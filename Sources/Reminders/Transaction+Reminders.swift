internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension Transaction {
  /// Deals with every day of the daily reminder whose time has come.
  ///
  /// - Returns: What is to be shown now: one at most.
  func dealWithDailyReminder(now: Int64, systemZone: Zone) throws(Failure) -> [Reminder] {
    var daily = try self.reminders.daily()
    guard var schedule = daily.schedule else { return [] }
    let zone = daily.zone ?? systemZone
    let today = zone.day(at: now)
    let start = zone.start(of: today)
    let hasRecordedToday = try self.care.hasAny(from: start, to: zone.start(of: today.adding(days: 1)))
    let before = schedule
    let directives = schedule.advance(to: now, in: zone) { $0 == today && hasRecordedToday }
    guard schedule != before else { return [] }
    var come: [Reminder] = []
    // Only one is open at a time: a new day ends the one before.
    if !directives.isEmpty { try self.endDailyReminders(as: "missed", now: now) }
    for directive in directives {
      let (reminder, outcome) = Self.reminder(for: directive, daily, in: zone, now: now)
      try self.reminders.put(reminder)
      if reminder.state == "due" { come.append(reminder) }
      daily.lastOutcome = outcome
    }
    daily.lastDay = schedule.lastDay.description
    try self.reminders.setDaily(daily)
    return come
  }

  /// Lets those come whose time it is: reminders to call, and what was snoozed.
  func dealWithRipeReminders(now: Int64) throws(Failure) -> [Reminder] {
    var come: [Reminder] = []
    // Where the clock was ahead when they were snoozed, and was set back since.
    let parked = try self.reminders.snoozed().filter {
      $0.snoozedUntil.nanosecondsSince1970 > now && $0.again?.isDue(at: now) ?? false
    }
    for var reminder in try self.reminders.ripe(at: now) + parked {
      reminder.state = "due"
      reminder.clearSnoozedUntil()
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try self.reminders.put(reminder)
      come.append(reminder)
    }
    return come
  }

  /// Ends the daily reminder that has come, or will come again, and waits for somebody.
  func endDailyReminders(as state: String, now: Int64) throws(Failure) {
    for var reminder in try self.reminders.openDaily() {
      reminder.state = state
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try self.reminders.put(reminder)
    }
  }

  private static func reminder(
    for directive: DailySchedule.Directive, _ daily: DailyReminder, in zone: Zone, now: Int64
  ) -> (Reminder, outcome: String) {
    var reminder = Reminder()
    reminder.kind = "daily"
    let day: Day
    let outcome: String
    switch directive {
    case .remind(let date, let isLate):
      (day, outcome) = (date, isLate ? "late" : "delivered")
      reminder.state = "due"
      reminder.isLate = isLate
    case .noteMissed(let date):
      (day, outcome) = (date, "missed")
      reminder.state = "missed"
    case .noteSatisfied(let date):
      (day, outcome) = (date, "satisfied")
      reminder.state = "satisfied"
    }
    reminder.id = "daily:\(day)"
    reminder.day = day.description
    let instant = TimeOfDay(daily.time).flatMap { zone.instant(of: day, at: $0) } ?? now
    reminder.due = .init(nanosecondsSince1970: instant)
    reminder.createdAt = .init(nanosecondsSince1970: now)
    reminder.updatedAt = reminder.createdAt
    return (reminder, outcome)
  }
}
