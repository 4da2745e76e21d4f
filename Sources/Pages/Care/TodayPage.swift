public import Bus
internal import CivilTime
internal import KithMessages

/// The first page: who is cared for, what is due, the forms to record, and what was recorded today.
public struct TodayPage: Page {
  /// Makes the page.
  public init() {}

  /// Asks for the settings, the entries of today and those that need a look, and the reminders.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let settings = try await hub.ask(CareSettingsRequest())
    var entries = ListCareRequest()
    entries.day = view.today.description
    let today = try await hub.ask(entries)
    var unreviewed = ListCareRequest()
    unreviewed.review = CareReview.needed.rawValue
    unreviewed.limit = 20
    let open = try await hub.ask(unreviewed).records.filter { record in !today.records.contains { $0.id == record.id } }
    let reminders = try await hub.ask(ReminderStatusRequest())
    let list = EntryList(view: view)
    let recipient = settings.recipient.isEmpty ? "" : settings.recipient + settings.honorific
    let who: HTML = recipient.isEmpty ? "" : "<p class=\"recipient\">\(view[.caredFor, ["name": recipient]])</p>"
    let forms = CareForms(view: view)
    let record: HTML =
      view.canRecord
      ? "<section class=\"card\" aria-label=\"\(view[.newEntry])\">\(view.voice())\(forms.typed(next: "/"))</section>"
      : ""
    let look: HTML =
      open.isEmpty
      ? ""
      : "<section class=\"card\"><h2>\(view[.lookAt])</h2>\(list.html(open, empty: .nothing, showsDay: true))</section>"
    return Shown(
      view.date(view.today), in: .today, follows: ["care", "reminders"],
      """
      \(who)\(DueReminders(view: view).html(reminders.due, next: "/"))\(record)\(look)
      <section class="card"><h2>\(view[.recordedToday])</h2>\(list.html(today.records, empty: .nothing))
      <p class="links"><a href="/summary">\(view[.summary])</a> <a href="/days">\(view[.days])</a></p></section>
      """)
  }
}

extension Text {
  static let nothing = Text("Nothing was recorded yet.", "まだ記録はありません。")
  fileprivate static let caredFor = Text("Care for {name}", "{name}のケア")
  fileprivate static let newEntry = Text("New entry", "新しい記録")
  fileprivate static let recordedToday = Text("Recorded today", "今日の記録")
  fileprivate static let lookAt = Text("Needs a look", "確認が必要な記録")
}
