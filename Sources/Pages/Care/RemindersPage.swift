public import Bus
internal import KithMessages

/// Reminders: due ones, coming ones, and the daily one.
public struct RemindersPage: Page {
  /// Makes the page.
  public init() {}

  /// Asks for the reminders.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let status = try await hub.ask(ReminderStatusRequest())
    let isReminded = try await hub.ask(ListChannelsRequest()).channels.contains { $0.push.device == view.device }
    let due = DueReminders(view: view)
    let coming: HTML =
      status.pending.isEmpty
      ? "<p class=\"empty\">\(view[.none])</p>" : "<ul>\(HTML(status.pending.map { due.item($0, "/reminders") }))</ul>"
    return Shown(
      view[.reminders], in: .more, follows: ["care", "reminders"],
      """
      \(due.html(status.due, next: "/reminders"))<section class="card"><h2>\(view[.coming])</h2>\(coming)</section>
      \(view.canRecord ? self.daily(status.daily, view) + self.push(isOn: isReminded, view) : "")
      """)
  }

  /// Reminders on this device, which need script: a browser that cannot have them is told what else there is.
  private func push(isOn: Bool, _ view: PageView) -> HTML {
    """
    <section class="card push" data-on="\(isOn ? "1" : "0")"><h2>\(view[.onThisDevice])</h2><p class="push-state" role="status">\(view[.pushNeeds])</p>\
    <p class="actions"><button type="button" class="push-on" data-test="push-on" hidden>\(view[.pushOn])</button>\
    <button type="button" class="push-off" hidden>\(view[.pushOff])</button></p></section>
    """
  }

  private func daily(_ daily: DailyReminder, _ view: PageView) -> HTML {
    let checked: HTML = daily.enabled ? " checked" : ""
    return """
      <section class="card"><h2>\(view[.daily])</h2>\(Form(Methods.remindersSetDaily, next: "/reminders", view).html("""
      <label class="choice"><input type="checkbox" name="enabled:bool" value="true"\(checked)><span>\(view[.remindDaily])</span></label>
      <label>\(view[.at]) <input type="time" name="time" required value="\(daily.time.isEmpty ? "20:00" : daily.time)"></label>
      <button>\(view[.save])</button>
      """))</section>
      """
  }
}

extension Text {
  static let reminders = Text("Reminders", "リマインダー")
  static let none = Text("None.", "ありません。")
  fileprivate static let coming = Text("Coming", "予定")
  fileprivate static let daily = Text("Every day", "毎日")
  fileprivate static let remindDaily = Text("Remind to record care", "ケアの記録を知らせる")
  fileprivate static let onThisDevice = Text("On this device", "この端末への通知")
  fileprivate static let pushOn = Text("Remind on this device", "この端末に通知する")
  fileprivate static let pushOff = Text("Stop reminding here", "この端末への通知をやめる")
  fileprivate static let pushNeeds = Text(
    "This browser shows no messages of this page here. An ntfy channel brings reminders to a phone instead.",
    "このブラウザは、このページの通知を表示できません。ntfyの送り先を追加すると、スマートフォンで通知を受け取れます。")
  fileprivate static let at = Text("At", "時刻")
}
