internal import KithMessages

/// Reminders as rows.
struct ReminderTable {
  private let reminders: [Reminder]
  private let empty: String

  init(_ reminders: [Reminder], empty: String) {
    self.reminders = reminders
    self.empty = empty
  }

  func lines(_ session: Session) -> [String] {
    guard !self.reminders.isEmpty else { return [self.empty] }
    var table = Table(("WHEN", .left), ("WHAT", .left), ("STATE", .left), ("ID", .left))
    for reminder in self.reminders {
      let what = reminder.kind == "call" ? "Call \(reminder.title)" : "Record care of \(reminder.day)"
      let due = reminder.state == "snoozed" ? reminder.snoozedUntil : reminder.due
      table.add(
        RelativeTime.words(due, now: session.now), reminder.note.isEmpty ? what : "\(what): \(reminder.note)",
        reminder.isLate ? "\(reminder.state) (late)" : reminder.state, reminder.id)
    }
    return table.lines(session.console.style)
  }
}

extension DailyReminder {
  /// In a sentence.
  func words(_ session: Session) -> String {
    guard self.enabled else { return "The daily reminder is off. `kith remind daily HH:MM` turns it on." }
    let zone = self.timeZone.isEmpty ? "the hub's time" : self.timeZone
    let next = self.hasNextAt ? ", next \(RelativeTime.words(self.nextAt, now: session.now))" : ""
    let condition = self.onlyIfNothingRecorded ? ", on days without records" : ""
    return "The daily reminder comes at \(self.time), \(zone)\(condition)\(next)."
  }
}
