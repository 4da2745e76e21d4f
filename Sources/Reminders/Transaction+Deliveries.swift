internal import Bus
internal import CivilTime
internal import KithMessages
internal import Storage

extension Transaction {
  /// Queues what is sent about reminders that have come, in the transaction in which they come: once for each time.
  ///
  /// - Parameter always: Channels that every reminder goes over.
  /// - Returns: Whether something was queued.
  func queueDeliveries(
    of reminders: [Reminder], always: [String], now: Int64, zone: Zone
  ) throws(Failure) -> Bool {
    guard !reminders.isEmpty else { return false }
    let settings = try self.reminders.settings()
    let daily = try self.reminders.daily()
    let words = try ReminderWords("", self)
    var isQueued = false
    for reminder in reminders {
      let message = OutgoingMessage(
        kind: "\(reminder.kind)_reminder", title: words.title(of: reminder), text: words.text(of: reminder),
        date: zone.mailDate(at: now), expiresAt: reminder.expiry(daily, now: now, zone: zone), reminderID: reminder.id,
        subject: "\(reminder.id) \(reminder.snoozes)")
      let names = settings.channels(of: reminder.kind)
      for name in names + always.filter({ !names.contains($0) }) {
        guard let channel = try self.channels.find(name) else { continue }
        do throws(Failure) {
          try self.deliveries.queue(message, on: channel, now: now)
        } catch {
          guard error.reason == "TOO_LONG_FOR_CHANNEL" else { throw error }
          // What a channel cannot take must not hold up the other reminders: its title says that there is something.
          var short = message
          short.text = ""
          try self.deliveries.queue(short, on: channel, now: now)
        }
        isQueued = true
      }
    }
    return isQueued
  }
}

extension Reminder {
  /// When nobody needs to be told of it any more: the daily one as long as it may come late, the others within a day.
  fileprivate func expiry(_ daily: DailyReminder, now: Int64, zone: Zone) -> Int64 {
    guard self.kind == "daily" else { return now + 86_400_000_000_000 }
    let midnight = zone.start(of: zone.day(at: now).adding(days: 1))
    return min(now + daily.catchUp, midnight)
  }
}
