internal import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import Storage

extension Transaction {
  /// Handles what is due of the care plan, and what was recorded of it.
  ///
  /// - Parameter always: The channels for every reminder.
  /// - Returns: The reminders to show now, and when there is something to do next.
  func dealWithPlan(now: Int64, always: [String]) throws(Failure) -> (come: [Reminder], next: Int64?) {
    let kept = try self.reminders.ofPlan(since: now - PlanReminders.memory - 60_000_000_000)
    let (times, zone) = (try self.plannedTimes(around: kept, now: now), try self.careZone())
    let plan = PlanReminders(kept, times, now: now, zone: zone)
    let (said, missed) = (Set(plan.due.map(\.id)), Set(plan.missed.map(\.reminder)))
    let missedBefore = Set(kept.filter { $0.knownState == .missed }.map(\.id)).subtracting(missed)
    for change in plan.changed {
      let reminder = change.reminder
      // A message that waits says what was so before: somebody who reads it would give again what was given.
      let waiting = try self.deliveries.discardWaiting(about: reminder.id, now: now)
      try self.reminders.put(reminder, isNews: change.isNews)
      // What was missed while something else was open has a message of its own.
      let isAnew = reminder.knownState == .due ? !said.contains(reminder.id) : missedBefore.contains(reminder.id)
      if isAnew { try self.queueAnew(reminder, to: waiting, now: now, zone: zone) }
    }
    try self.queueMissed(plan, always: always, now: now, zone: zone)
    // Afterwards, so that a renewed message leaves to the new one what that says.
    try self.renewMissed(now: now)
    let doubles = try self.dealWithDoubles(kept.filter { $0.knownKind == .double }, times, now: now, zone: zone)
    return (plan.due + doubles, plan.next)
  }

  private func plannedTimes(around kept: [Reminder], now: Int64) throws(Failure) -> [PlannedTime] {
    let open = kept.flatMap(\.open).map(\.due.nanosecondsSince1970).min() ?? now
    return try self.plannedTimes(in: min(open, now - PlanReminders.memory)..<now + PlanReminders.ahead)
  }

  // MARK: - What was recorded twice

  /// What the ids of its reminders begin with, before that of the dose.
  private static let double = "double:"

  /// Makes a reminder of each dose that was recorded by somebody who did not know of another one: for a time that had one, too soon, or
  /// one too many.
  private func dealWithDoubles(
    _ open: [Reminder], _ times: [PlannedTime], now: Int64, zone: Zone
  ) throws(Failure) -> [Reminder] {
    var come: [Reminder] = []
    let words = try ReminderWords("", self)
    let again = times.flatMap { time in
      time.given.dropFirst().filter { !$0.confirmed }.map { (dose: $0, title: words.double(time, zone)) }
    }
    let near = try self.nearDoubles(in: now - PlanReminders.memory..<now + PlanReminders.ahead)
      .map { (dose: $0.dose, title: words.double($0, zone)) }
    for (dose, title) in again + near {
      let id = Self.double + dose.id
      guard try self.reminders.get(id) == nil else { continue }
      var reminder = Reminder()
      reminder.id = id
      reminder.knownKind = .double
      reminder.title = title
      reminder.due = .init(nanosecondsSince1970: now)
      reminder.day = zone.day(at: now).description
      reminder.knownState = .due
      (reminder.createdAt, reminder.updatedAt) = (reminder.due, reminder.due)
      try self.reminders.put(reminder)
      come.append(reminder)
    }
    for var reminder in open where [.due, .snoozed].contains(reminder.knownState) {
      // However long ago it was: it ends when one of the two was taken back.
      guard try self.double(of: String(reminder.id.dropFirst(Self.double.count))) == nil else { continue }
      reminder.knownState = .done
      reminder.updatedAt = .init(nanosecondsSince1970: now)
      try self.reminders.put(reminder)
    }
    return come
  }

  // MARK: - Answers

  /// Marks a reminder as done. Of the plan: records what it names.
  ///
  /// - Parameter reason: Why what it names is skipped; nil = it was given.
  func finish(
    _ reminder: Reminder, skipping reason: String?, by principal: Principal, now: Int64
  ) throws(Failure) -> Reminder {
    guard reminder.knownKind != .plan else {
      return try self.answer(reminder, skipping: reason, by: principal, now: now)
    }
    guard reminder.knownState != .done else { return reminder }
    var done = reminder
    done.knownState = .done
    done.updatedAt = .init(nanosecondsSince1970: now)
    try self.reminders.put(done)
    return done
  }

  /// Records for each time of a reminder that nobody answered that it was given now, or is skipped.
  ///
  /// - Parameter reason: Why it is skipped; nil = it was given.
  /// - Returns: The reminder, with what others had answered before.
  private func answer(
    _ reminder: Reminder, skipping reason: String?, by principal: Principal, now: Int64
  ) throws(Failure) -> Reminder {
    guard reminder.knownState != .removed else { return reminder }
    var before: Set<Int> = []
    for time in try self.plannedTimes(around: reminder, now: now) {
      guard let index = reminder.times.firstIndex(where: { $0.names(time) }) else { continue }
      if time.answer != nil {
        before.insert(index)
      } else if time.reminds {
        try self.answer(time, skipping: reason, by: principal, now: now)
      }
    }
    var answered = PlanReminders.answered(
      reminder, try self.plannedTimes(around: reminder, now: now), now: now, zone: try self.careZone())
    try self.reminders.put(answered, isNews: answered.state != reminder.state)
    try self.renewMissed(now: now)
    for index in before { answered.times[index].answeredBefore = true }
    return answered
  }

  private func plannedTimes(around reminder: Reminder, now: Int64) throws(Failure) -> [PlannedTime] {
    let instants = reminder.times.map(\.due.nanosecondsSince1970)
    guard let first = instants.min(), let last = instants.max() else { return [] }
    return try self.plannedTimes(in: first..<last + 1)
  }
}
