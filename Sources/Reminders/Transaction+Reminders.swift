internal import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import Storage

extension Transaction {
  /// Handles every day of the daily reminder whose time has come.
  ///
  /// - Returns: The reminders to show now, at most one.
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
    // Only one is open at a time: a new day ends the previous reminder.
    if !directives.isEmpty { try self.endDailyReminders(as: .missed, now: now) }
    for directive in directives {
      var (reminder, outcome) = Self.reminder(for: directive, daily, in: zone, now: now)
      // A time that was set after the day's reminder makes a second one; the first stays as it was dealt with.
      if try self.reminders.get(reminder.id) != nil { reminder.id += ":\(daily.time)" }
      try self.reminders.put(reminder)
      if reminder.knownState == .due { come.append(reminder) }
      daily.knownLastOutcome = outcome
    }
    daily.lastDay = schedule.lastDay.description
    try self.reminders.setDaily(daily)
    return come
  }

  /// Makes reminders due whose time has come: calls, and snoozed reminders.
  func dealWithRipeReminders(now: Int64) throws(Failure) -> [Reminder] {
    var come: [Reminder] = []
    // Snoozed while the clock was ahead; it was set back since.
    let parked = try self.reminders.snoozed().filter {
      $0.snoozedUntil.nanosecondsSince1970 > now && $0.again?.isDue(at: now) ?? false
    }
    // Those of the plan come again only if nobody answered meanwhile: `PlanReminders`.
    for var reminder in try self.reminders.ripe(at: now) + parked where reminder.knownKind != .plan {
      reminder.knownState = .due
      reminder.clearSnoozedUntil()
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try self.reminders.put(reminder)
      come.append(reminder)
    }
    return come
  }

  /// Ends the daily reminder that is due or snoozed.
  func endDailyReminders(as state: ReminderState, now: Int64) throws(Failure) {
    for var reminder in try self.reminders.openDaily() {
      reminder.knownState = state
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try self.reminders.put(reminder)
    }
  }

  private static func reminder(
    for directive: DailySchedule.Directive, _ daily: DailyReminder, in zone: Zone, now: Int64
  ) -> (Reminder, DailyOutcome) {
    var reminder = Reminder()
    reminder.knownKind = .daily
    let day: Day
    let outcome: DailyOutcome
    switch directive {
    case .remind(let date, let isLate):
      (day, outcome) = (date, isLate ? .late : .delivered)
      reminder.knownState = .due
      reminder.isLate = isLate
    case .noteMissed(let date):
      (day, outcome) = (date, .missed)
      reminder.knownState = .missed
    case .noteSatisfied(let date):
      (day, outcome) = (date, .satisfied)
      reminder.knownState = .satisfied
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

extension ReminderSettings {
  /// The time of reminders of people: ten o'clock unless the settings name another.
  var timeOfPersonReminders: TimeOfDay { TimeOfDay(self.personTime) ?? TimeOfDay(hour: 10, minute: 0) ?? .midnight }
}

extension Transaction {
  /// How many days late a person's reminder may come: a late birthday greeting is still useful.
  private static var lateDays: Int { 7 }

  /// Makes those reminders due that are kept with a person, by Monica or here, and whose day it is.
  ///
  /// Each comes once for each of its days. What a machine that was off has missed comes up to a week late. Days on
  /// which these reminders were turned off are not made up for.
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

  /// The reminder of one day; nil if it exists already.
  private func reminder(
    of kept: PersonReminder, on day: Day, today: Day, zone: Zone, now: Int64
  ) throws(Failure) -> Reminder? {
    let id = "person:\(kept.id):\(day)"
    guard try self.reminders.get(id) == nil else { return nil }
    let name = try self.records.get(Person.self, kept.personID)?.displayName ?? ""
    var reminder = Reminder()
    reminder.id = id
    reminder.knownKind = .person
    reminder.personID = kept.personID
    reminder.title = name.isEmpty || kept.title.contains(name) ? kept.title : "\(name): \(kept.title)"
    reminder.note = kept.description_p
    reminder.day = day.description
    let time = try self.reminders.settings().timeOfPersonReminders
    reminder.due = .init(nanosecondsSince1970: zone.instant(of: day, at: time) ?? now)
    reminder.knownState = .due
    reminder.isLate = day < today
    reminder.createdAt = .init(nanosecondsSince1970: now)
    reminder.updatedAt = reminder.createdAt
    try self.reminders.put(reminder)
    return reminder
  }
}

extension PersonReminder {
  /// The days in a span on which the reminder comes.
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

extension Transaction {
  /// Queues messages about due reminders, in the transaction that makes them due: once for each time.
  ///
  /// - Parameter always: The channels for every reminder.
  func queueDeliveries(of reminders: [Reminder], always: [String], now: Int64, zone: Zone) throws(Failure) {
    guard !reminders.isEmpty else { return }
    let settings = try self.reminders.settings()
    let messages = try ReminderMessages(self, now: now, zone: zone)
    for reminder in reminders {
      var message = messages.message(about: reminder)
      message.subject = "\(reminder.id) \(reminder.knownKind == .plan ? reminder.said : reminder.snoozes)"
      let names = try self.channels.names(settings.channels(of: reminder.knownKind), always: always)
      try self.queue(message, to: names, now: now)
    }
  }

  /// Queues one message about all that was missed of the care plan.
  ///
  /// - Parameter zone: That of the plan.
  func queueMissed(_ plan: PlanReminders, always: [String], now: Int64, zone: Zone) throws(Failure) {
    guard let first = plan.missed.first else { return }
    var message = try ReminderMessages(self, now: now, zone: zone).message(ofMissed: plan.missed.map(\.time))
    let isOne = plan.missed.allSatisfy { $0.reminder == first.reminder }
    let isWhole = plan.changed.contains { $0.reminder.id == first.reminder && $0.reminder.knownState == .missed }
    if isOne, isWhole { message.reminderID = first.reminder }
    message.missedOf = Set(plan.missed.map(\.reminder)).sorted()
    message.missed = plan.missed.map(\.time)
    let names = try self.channels.names(try self.reminders.settings().channels(of: .plan), always: always)
    try self.queue(message, to: names, now: now)
  }

  /// Queues what still holds of a reminder of the care plan that has changed.
  ///
  /// - Parameters:
  ///   - names: The channels whose waiting message was discarded.
  ///   - zone: That of the plan.
  func queueAnew(_ reminder: Reminder, to names: [String], now: Int64, zone: Zone) throws(Failure) {
    guard !names.isEmpty else { return }
    let messages = try ReminderMessages(self, now: now, zone: zone)
    switch reminder.knownState {
    case .due: try self.queue(messages.message(about: reminder), to: names, now: now)
    case .missed:
      let told = Dictionary(grouping: try self.deliveries.openAboutMissed(), by: \.channel)
      for name in names {
        // Older versions did not keep what a message tells. What another one tells is not told twice.
        let others = told[name, default: []].flatMap(\.missed)
        let times = reminder.times.filter { $0.knownState == .missed && !others.contains($0) }
        guard !times.isEmpty else { continue }
        var message = messages.message(ofMissed: times)
        (message.reminderID, message.missedOf, message.missed) = (reminder.id, [reminder.id], times)
        try self.queue(message, to: [name], now: now)
      }
    case .waiting, .snoozed, .done, .satisfied, .removed, nil: break
    }
  }

  /// Withdraws a delivery that would be tried again although its reminder has changed during the attempt. Queues what is still open,
  /// unless another message of the channel waits with it. Messages about what was missed: ``renewMissed(now:)``.
  func replaceOutdated(_ entry: inout DeliveryEntry) throws(Failure) {
    guard entry.knownState == .pending, entry.missedOf.isEmpty,
      let reminder = try self.reminders.get(entry.reminderID), reminder.updatedAt != entry.createdAt
    else { return }
    try entry.discard()
    let channel = entry.channel
    guard reminder.knownState == .due,
      try !self.deliveries.waiting(about: reminder.id).contains(where: { $0.channel == channel })
    else { return }
    // Dated when the reminder changed: another time would make the new message outdated too.
    let changed = reminder.updatedAt.nanosecondsSince1970
    try self.queueAnew(reminder, to: [channel], now: changed, zone: try self.careZone())
  }

  /// Withdraws each waiting message about missed times of which some are not missed any more, and queues the rest.
  ///
  /// The times that it leaves out count as not told: they are told if their answer is taken back.
  func renewMissed(now: Int64) throws(Failure) {
    for var entry in try self.deliveries.openAboutMissed() where entry.knownState == .pending {
      let missed = try self.reminders.missed(of: entry.missedOf)
      let still = entry.missed.filter { missed.contains($0) }
      guard still != entry.missed else { continue }
      try entry.discard()
      try self.deliveries.put(entry, now: now)
      for id in entry.missedOf { try self.reminders.forgetMissed(entry.missed.filter { !still.contains($0) }, of: id) }
      // A long message is several deliveries: the last of them queues the rest.
      let others = try self.deliveries.openAboutMissed()
        .filter { $0.channel == entry.channel && $0.knownState == .pending }.flatMap(\.missed)
      let rest = still.filter { !others.contains($0) }
      guard !rest.isEmpty else { continue }
      var message = try ReminderMessages(self, now: now, zone: try self.careZone()).message(ofMissed: rest)
      (message.reminderID, message.missedOf, message.missed) = (entry.reminderID, entry.missedOf, rest)
      try self.queue(message, to: [entry.channel], now: now)
    }
  }

  /// Queues a message for those of the channels that there still are.
  private func queue(_ message: OutgoingMessage, to names: [String], now: Int64) throws(Failure) {
    for name in names {
      guard let channel = try self.channels.find(name) else { continue }
      do throws(Failure) {
        try self.deliveries.queue(message, on: channel, now: now)
      } catch {
        guard error.reason == "TOO_LONG_FOR_CHANNEL" else { throw error }
        // A message that is too long for a channel must not hold up other reminders: only its title is sent.
        var short = message
        short.text = ""
        try self.deliveries.queue(short, on: channel, now: now)
      }
    }
  }
}
