internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension ReminderSettings {
  /// When reminders that are kept with a person come: ten, where no time is said.
  var timeOfPersonReminders: TimeOfDay { TimeOfDay(self.personTime) ?? TimeOfDay(hour: 10, minute: 0) ?? .midnight }
}

extension Transaction {
  /// How many days a reminder of a person may come late: a birthday is worth it.
  private static var lateDays: Int { 7 }

  /// Lets those reminders come that are kept with a person, by Monica or here, and whose day it is.
  ///
  /// Each comes once for each of its days: what a machine that was off has missed comes late, within a week. Of days on
  /// which nobody wanted any, none comes later.
  func dealWithPersonReminders(now: Int64, zone: Zone) throws(Failure) -> [Reminder] {
    let settings = try self.reminders.settings()
    let today = zone.day(at: now)
    let last = Day(try self.reminders.lastDayOfPersonReminders())
    guard !settings.noPersonReminders else {
      let passed = today.adding(days: -1)
      if last != passed { try self.reminders.setLastDayOfPersonReminders(passed.description) }
      return []
    }
    guard let instant = zone.instant(of: today, at: settings.timeOfPersonReminders), instant <= now else { return [] }
    let first = max(min(last?.adding(days: 1) ?? today, today), today.adding(days: -Self.lateDays))
    var come: [Reminder] = []
    var query = RecordQuery(limit: 500)
    repeat {
      let page = try self.records.page(PersonReminder.self, query)
      for reminder in page.records {
        for day in reminder.days(from: first, through: today) {
          if let new = try self.reminder(of: reminder, on: day, today: today, zone: zone, now: now) { come.append(new) }
        }
      }
      query.cursor = page.nextCursor
    } while !query.cursor.isEmpty
    if last != today { try self.reminders.setLastDayOfPersonReminders(today.description) }
    return come
  }

  /// The reminder of one day; nil when it was there already.
  private func reminder(
    of kept: PersonReminder, on day: Day, today: Day, zone: Zone, now: Int64
  ) throws(Failure) -> Reminder? {
    let id = "person:\(kept.id):\(day)"
    guard try self.reminders.get(id) == nil else { return nil }
    let name = try self.records.get(Person.self, kept.personID)?.displayName ?? ""
    var reminder = Reminder()
    reminder.id = id
    reminder.kind = "person"
    reminder.personID = kept.personID
    reminder.title = name.isEmpty || kept.title.contains(name) ? kept.title : "\(name): \(kept.title)"
    reminder.note = kept.description_p
    reminder.day = day.description
    let time = try self.reminders.settings().timeOfPersonReminders
    reminder.due = .init(nanosecondsSince1970: zone.instant(of: day, at: time) ?? now)
    reminder.state = "due"
    reminder.isLate = day < today
    reminder.createdAt = .init(nanosecondsSince1970: now)
    reminder.updatedAt = reminder.createdAt
    try self.reminders.put(reminder)
    return reminder
  }
}

extension PersonReminder {
  /// The days of a span on which the reminder comes.
  fileprivate func days(from first: Day, through last: Day) -> [Day] {
    var days: [Day] = []
    var from = first
    while let next = self.nextDay(from: from), next <= last {
      days.append(next)
      from = next.adding(days: 1)
    }
    return days
  }
}
