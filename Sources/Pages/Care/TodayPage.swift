public import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

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
    let plan = try await hub.askIfServed(PlanDayRequest()) ?? PlanDay()
    // Without an entry by voice there is nothing to ask.
    let isSaid = view.canRecord && today.records.contains { !$0.transcript.isEmpty }
    let said =
      isSaid ? try await hub.askIfServed(SuggestRequest.with { $0.day = view.today.description }) : nil
    let needs = try await NeedsPerson(try await hub.ask(StatusRequest()), view, hub)
    let list = EntryList(
      view: view, reviewing: "/",
      suggestions: said.map { PlanSuggestions(view: view, next: "/", all: $0.suggestions) })
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
      \(who)\(needs.line)\(DueReminders(view: view).html(reminders.due, next: "/"))\(PlanList(view: view, next: "/").html(plan))\(record)\(look)
      <section class="card"><h2>\(view[.recordedToday])</h2>\(list.html(today.records, empty: .nothing))
      <p class="links"><a href="/summary">\(view[.summary])</a> <a href="/days">\(view[.days])</a></p></section>
      """)
  }
}

/// The forms that record care: typed and spoken.
private struct CareForms: Sendable {
  let view: PageView

  /// The form for a typed entry.
  func typed(next: String) -> HTML {
    Form(Methods.careRecord, next: next, self.view).creating().noting(now: "occurredAt").html(
      """
      <fieldset class="categories"><legend>\(self.view[.category])</legend>\(self.categories(chosen: nil))</fieldset>
      <label for="memo">\(self.view[.memo])</label>
      <textarea id="memo" name="memo" data-test="memo" maxlength="5000" rows="3"></textarea>
      <details><summary>\(self.view[.earlier])</summary><label for="occurred">\(self.view[.when])</label>
      <input id="occurred" type="datetime-local" name="occurredAt:time" max="\(self.view.localValue(of: .init(nanosecondsSince1970: self.view.now)))">
      </details>
      <button class="primary" data-test="save">\(self.view[.save])</button>
      """)
  }

  /// A button for each category.
  func categories(chosen: CareCategory?) -> HTML {
    HTML(
      CareCategory.allCases.map { category in
        let checked: HTML = category == chosen ? " checked" : ""
        return """
          <label class="choice" data-test="category-\(category.rawValue)"><input type="radio" name="category" \
          value="\(category.rawValue)" required\(checked)><span><span aria-hidden="true">\(category.sign)</span> \
          \(self.view[category.name])</span></label>
          """
      })
  }
}

extension Text {
  static let nothing = Text("Nothing was recorded yet.", "まだ記録はありません。")
  fileprivate static let caredFor = Text("Care for {name}", "{name}のケア")
  fileprivate static let newEntry = Text("New entry", "新しい記録")
  fileprivate static let recordedToday = Text("Recorded today", "今日の記録")
  fileprivate static let lookAt = Text("Needs a look", "確認が必要な記録")
  fileprivate static let earlier = Text("At another time", "別の時刻")
}
