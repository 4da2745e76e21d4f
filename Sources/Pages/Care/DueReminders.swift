internal import KithMessages

/// Reminders that are due, with what can be done about them.
struct DueReminders: Sendable {
  let view: PageView

  /// The reminders; nothing if none is due.
  func html(_ due: [Reminder], next: String) -> HTML {
    guard !due.isEmpty else { return "" }
    return """
      <section class="card due"><h2>\(self.view[.due])</h2><ul>\(HTML(due.map { self.item($0, next) }))</ul></section>
      """
  }

  /// One reminder.
  func item(_ reminder: Reminder, _ next: String) -> HTML {
    let isDue = [ReminderState.due.rawValue, ReminderState.snoozed.rawValue].contains(reminder.state)
    let buttons: HTML =
      self.view.canRecord && isDue
      ? """
      \(Form(Methods.remindersDone, next: next, self.view).with("id", reminder.id).button(self.view[.done], test: "reminder-done", style: "primary"))\
      \(Form(Methods.remindersSnooze, next: next, self.view).with("id", reminder.id).with("minutes", "30").button(self.view[.later]))\
      \(reminder.knownKind == .plan ? Form(Methods.remindersSkip, next: next, self.view).with("id", reminder.id).button(self.view[.skipTime], test: "reminder-skip") : "")
      """ : ""
    let note: HTML = reminder.note.isEmpty ? "" : " <span class=\"words\">\(reminder.note)</span>"
    return """
      <li data-test="reminder"><span>\(self.view.dayAndTime(of: reminder.comesAt)) \(reminder.title)\(note)</span>\
      <span class="actions">\(buttons)</span></li>
      """
  }
}

extension Text {
  fileprivate static let due = Text("Due now", "お知らせ")
  fileprivate static let done = Text("Done", "完了")
  static let skipTime = Text("Skip", "スキップ")
  fileprivate static let later = Text("In 30 minutes", "30分後に")
}
