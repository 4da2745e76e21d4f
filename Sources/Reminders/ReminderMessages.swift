internal import Bus
internal import CarePlan
internal import CivilTime
internal import KithMessages
internal import Storage

/// Makes messages about reminders, with the settings of a moment.
struct ReminderMessages {
  private let settings: ReminderSettings
  private let daily: DailyReminder
  private let words: ReminderWords
  private let plan: Zone
  private let now: Int64
  private let zone: Zone

  init(_ view: some DatabaseView, now: Int64, zone: Zone) throws(Failure) {
    (self.settings, self.daily) = (try view.reminders.settings(), try view.reminders.daily())
    (self.words, self.plan) = (try ReminderWords("", view), try view.careZone())
    (self.now, self.zone) = (now, zone)
  }

  /// A message about a reminder that is due.
  func message(about reminder: Reminder) -> OutgoingMessage {
    OutgoingMessage(
      kind: "\(reminder.kind)_reminder", title: self.words.title(of: reminder, self.plan),
      text: self.words.text(of: reminder, self.plan, named: !self.settings.noPlanNames),
      date: self.zone.mailDate(at: self.now), expiresAt: reminder.expiry(self.daily, now: self.now, zone: self.zone),
      reminderID: reminder.id)
  }

  /// A message about what was missed of the care plan.
  func message(ofMissed times: [RemindedTime]) -> OutgoingMessage {
    OutgoingMessage(
      kind: "\(ReminderKind.plan.rawValue)_reminder", title: self.words.missedTitle,
      text: self.words.missed(
        times, self.plan, today: self.plan.day(at: self.now), named: !self.settings.noPlanNames),
      date: self.zone.mailDate(at: self.now), expiresAt: self.now + 86_400_000_000_000)
  }
}

extension Reminder {
  /// When the message expires: the daily one as long as it may come late, the others after a day.
  fileprivate func expiry(_ daily: DailyReminder, now: Int64, zone: Zone) -> Int64 {
    guard self.knownKind == .daily else { return now + 86_400_000_000_000 }
    let midnight = zone.start(of: zone.day(at: now).adding(days: 1))
    return min(now + daily.catchUp, midnight)
  }
}
