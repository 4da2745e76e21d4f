public import Bus
internal import CivilTime
internal import KithMessages

/// The calls: the running one, people to call, everything by day, and what was found.
public struct CallsPage: Page {
  private let selection: CallSelection
  private let cursor: String
  private let selectsSeveral: Bool

  /// Makes the page of a query.
  init(_ query: (String) -> String?) {
    self.selection = CallSelection(query)
    self.cursor = query("cursor") ?? ""
    self.selectsSeveral = query("several") == "1"
  }

  /// Asks for the calls and for people to call.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let isOverview = !self.selection.restricts && self.cursor.isEmpty && !self.selectsSeveral
    let lists: HTML = isOverview ? try await self.overview(view, hub) : try await self.found(view, hub)
    return Shown(
      view[.calls], in: .calls, follows: ["calls", "people"],
      "\(self.selection.form("/calls", view, several: self.selectsSeveral))\(lists)\(self.links(view))")
  }

  private func links(_ view: PageView) -> HTML {
    let several: HTML =
      view.canRecord && !self.selectsSeveral
      ? "<a href=\"\(self.selection.address("/calls", ["several": "1"]))\">\(view[.selectSeveral])</a>" : ""
    let exports = HTML(
      CallExportFormat.allCases.map { format in
        let address = self.selection.address("/export", ["what": "calls", "format": format.rawValue])
        return "<a href=\"\(address)\">\(view[.export, ["format": format.rawValue.uppercased()]])</a> "
      })
    return """
      <p class="links"><a href="\(self.selection.with("text", "").address("/calls/statistics"))">\(view[.statistics])</a> \
      <a href="/calls/templates">\(view[.templates])</a> \(several) \(exports)</p>
      """
  }

  // MARK: - What was found

  private func found(_ view: PageView, _ hub: some Port) async throws(Failure) -> HTML {
    let parts = CallParts(view: view)
    guard self.selection["text"].isEmpty else {
      var search = SearchCallsRequest()
      search.text = self.selection["text"]
      search.filter = self.selection.filter(view.zone)
      let reply = try await hub.ask(search)
      let more: HTML = reply.more ? "<p class=\"empty\">\(view[.narrow])</p>" : ""
      return self.several(reply.hits.map { ($0.call, parts.excerpt($0)) }, view) + more
    }
    var list = ListCallsRequest()
    list.filter = self.selection.filter(view.zone)
    list.cursor = self.cursor
    let reply = try await hub.ask(list)
    let next = self.selection.address(
      "/calls", ["several": self.selectsSeveral ? "1" : "", "cursor": reply.nextCursor])
    let more: HTML = reply.nextCursor.isEmpty ? "" : view.next(next)
    return self.several(reply.calls.map { ($0, "\($0.note)") }, view) + more
  }

  /// Calls with their words: as links, or to be selected.
  private func several(_ calls: [(call: Call, words: HTML)], _ view: PageView) -> HTML {
    let parts = CallParts(view: view)
    guard !calls.isEmpty else { return "<p class=\"empty\">\(view[.noResults])</p>" }
    guard self.selectsSeveral, view.canRecord else {
      return "<section class=\"card\">\(parts.list(found: calls))</section>"
    }
    let choices = HTML(
      calls.map { call, _ in
        """
        <label class="choice"><input type="checkbox" name="ids[]" value="\(call.id)"><span>\(parts.line(call))</span></label>
        """
      })
    let next = self.selection.address("/calls", ["several": "1"])
    // Enter in the field of tags presses the first button, which must not delete.
    let ways = Form(Methods.callsBulkTag, next: next, view).with("timeZone", view.zone.name).html(
      """
      \(choices)<p class="actions"><label>\(view[.tags]) <input name="tags:words"></label>\
      <button data-test="tag">\(view[.tagChosen])</button>\
      <button formaction="/forms/\(Methods.callsExport.name)" name="format" value="csv" data-direct>CSV</button>\
      <button formaction="/forms/\(Methods.callsExport.name)" name="format" value="json" data-direct>JSON</button>\
      <button formaction="/forms/\(Methods.callsBulkDelete.name)" data-test="delete">\(view[.deleteChosen])</button></p>
      """)
    return "<section class=\"card\">\(ways)</section>"
  }

  // MARK: - Overview

  private func overview(_ view: PageView, _ hub: some Port) async throws(Failure) -> HTML {
    var timeline = CallTimelineRequest()
    timeline.timeZone = view.zone.name
    let reply = try await hub.ask(timeline)
    let running = reply.groups.flatMap(\.calls).first { $0.isRunning }
    var suggest = SuggestCallsRequest()
    suggest.limit = 5
    let suggestions = try await hub.ask(suggest).suggestions
    let groups = HTML(
      reply.groups.filter { !$0.calls.isEmpty }.map { group in
        let calls = CallParts(view: view).list(group.calls)
        return "<section class=\"card\"><h2>\(view[Self.title(group.title)])</h2>\(calls)</section>"
      })
    let now = try await self.running(running, view, hub)
    let none: HTML = groups.text.isEmpty ? "<p class=\"empty\">\(view[.noCalls])</p>" : ""
    return """
      \(now)\(self.people(suggestions, view))\
      <p class="links"><a href="/people">\(view[.choosePerson])</a></p>\
      \(groups)\(none)\(view.more("/calls", [:], cursor: reply.nextCursor))
      """
  }

  private func running(_ call: Call?, _ view: PageView, _ hub: some Port) async throws(Failure) -> HTML {
    guard let call else { return "" }
    var get = GetPersonRequest()
    get.id = call.personID
    let links = try await hub.ask(get).fields.compactMap { field in
      ReachLink(type: field.type, data: field.data).map { (address: $0.address, number: field.data) }
    }
    let dial = HTML(
      links.filter { $0.address.hasPrefix("tel:") }.prefix(3).map { link in
        "<a class=\"button\" href=\"\(link.address)\">\(view[.call]) \(link.number)</a>"
      })
    let stop: HTML =
      view.canRecord
      ? Form(Methods.callsStop, next: "/calls/\(call.id)", view).noting(now: "endedAt").with("id", call.id)
        .button(view[.endCall], test: "call-stop", style: "primary") : ""
    return """
      <section class="card due"><h2>\(view[.running, ["name": call.personName]])</h2>\
      <p><span class="clock" data-since="\(call.calledAt.rfc3339)">\(view.dayAndTime(of: call.calledAt))</span></p>\
      <p class="actions">\(dial)\(stop)</p></section>
      """
  }

  private func people(_ suggestions: [CallSuggestion], _ view: PageView) -> HTML {
    guard !suggestions.isEmpty else { return "" }
    let items = HTML(
      suggestions.map { person in
        let why = view[.usually, ["usual": "\(person.usualDays)", "overdue": "\(person.overdueDays)"]]
        return """
          <li><a href="/people/\(person.personID)">\(person.personName) <span class="words">\
          \(view[.lastCalled]) \(view.dayAndTime(of: person.lastCalledAt)) · \(why)</span></a></li>
          """
      })
    return "<section class=\"card\"><h2>\(view[.toCall])</h2><ul class=\"list\">\(items)</ul></section>"
  }

  private static func title(_ word: String) -> Text {
    switch word {
    case "today": Text("Today", "今日")
    case "yesterday": Text("Yesterday", "昨日")
    case "this_week": Text("This week", "今週")
    default: Text("Earlier", "以前")
    }
  }
}

extension Text {
  static let statistics = Text("Statistics", "統計")
  static let templates = Text("Templates", "テンプレート")
  static let export = Text("Export as {format}", "{format}で書き出す")
  fileprivate static let selectSeveral = Text("Select several", "複数を選択")
  fileprivate static let deleteChosen = Text("Delete the selected calls", "選んだ電話を削除")
  fileprivate static let tagChosen = Text("Tag the selected calls", "選んだ電話にタグを付ける")
  fileprivate static let narrow = Text("There are more. Search for more words.", "ほかにもあります。言葉を増やして検索してください。")
  fileprivate static let running = Text("Call with {name}", "{name}と通話中")
  fileprivate static let endCall = Text("End the call", "通話を終える")
  fileprivate static let toCall = Text("People to call", "そろそろ電話したい人")
  fileprivate static let usually = Text(
    "usually every {usual} days, {overdue} days overdue", "ふだんは{usual}日ごと、{overdue}日過ぎています")
  fileprivate static let choosePerson = Text("Call somebody else", "ほかの人に電話する")
}
