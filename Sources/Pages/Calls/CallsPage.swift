public import Bus
internal import CivilTime
internal import KithMessages

/// The calls: the running one, people to call, everything by day, and what was found.
public struct CallsPage: Page {
  private let text: String
  private let emotion: String
  private let cursor: String

  /// Makes the page. Absent values do not restrict.
  public init(text: String?, emotion: String?, cursor: String?) {
    self.text = text ?? ""
    self.emotion = emotion ?? ""
    self.cursor = cursor ?? ""
  }

  /// Asks for the calls and for people to call.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let isFiltered = !self.text.isEmpty || !self.emotion.isEmpty || !self.cursor.isEmpty
    let lists: HTML = isFiltered ? try await self.found(view, hub) : try await self.overview(view, hub)
    let emotions = [("", view[.all])] + CallEmotion.allCases.map { ($0.rawValue, view[$0.name]) }
    return Shown(
      view[.calls], in: .calls, follows: ["calls", "people"],
      """
      <form class="filter" method="get" action="/calls" role="search">
      \(view.input(.search, "text", self.text, type: "search", " data-test=\"search\" maxlength=\"200\""))
      \(view.select(.feeling, "emotion", self.emotion, emotions))<button>\(view[.show])</button></form>\(lists)
      """)
  }

  private func found(_ view: PageView, _ hub: some Port) async throws(Failure) -> HTML {
    var filter = CallFilter()
    filter.emotion = self.emotion
    guard self.text.isEmpty else {
      var search = SearchCallsRequest()
      search.text = self.text
      search.filter = filter
      let hits = try await hub.ask(search).hits.map(\.call)
      return
        "<section class=\"card\">\(hits.isEmpty ? "<p class=\"empty\">\(view[.noResults])</p>" : CallParts(view: view).list(hits))</section>"
    }
    var list = ListCallsRequest()
    list.filter = filter
    list.cursor = self.cursor
    let reply = try await hub.ask(list)
    return """
      <section class="card">\(CallParts(view: view).list(reply.calls))</section>\
      \(view.more("/calls", ["emotion": self.emotion], cursor: reply.nextCursor))
      """
  }

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
        "<section class=\"card\"><h2>\(view[Self.title(group.title)])</h2>\(CallParts(view: view).list(group.calls))</section>"
      })
    return """
      \(running.map { self.running($0, view) } ?? "")\(self.people(suggestions, view))\
      <p class="links"><a href="/people">\(view[.choosePerson])</a></p>\
      \(groups)\(view.more("/calls", [:], cursor: reply.nextCursor))
      """
  }

  private func running(_ call: Call, _ view: PageView) -> HTML {
    """
    <section class="card due"><h2>\(view[.running, ["name": call.personName]])</h2>\
    <p><span class="clock" data-since="\(call.calledAt.rfc3339)">\(view.dayAndTime(of: call.calledAt))</span></p>\
    \(view.canRecord ? Form(Methods.callsStop, next: "/calls/\(call.id)", view).with("id", call.id)
      .button(view[.endCall], test: "call-stop", style: "primary") : "")</section>
    """
  }

  private func people(_ suggestions: [CallSuggestion], _ view: PageView) -> HTML {
    guard !suggestions.isEmpty else { return "" }
    let items = HTML(
      suggestions.map { person in
        """
        <li><a href="/people/\(person.personID)">\(person.personName) <span class="words">\
        \(view[.lastCalled]) \(view.dayAndTime(of: person.lastCalledAt))</span></a></li>
        """
      })
    return "<section class=\"card\"><h2>\(view[.toCall])</h2><ul class=\"list\">\(items)</ul></section>"
  }

  private static func title(_ word: String) -> Text {
    switch word {
    case "today": .today
    case "yesterday": .yesterday
    case "this_week": Text("This week", "今週")
    default: Text("Earlier", "以前")
    }
  }
}

extension Text {
  fileprivate static let running = Text("Call with {name}", "{name}と通話中")
  fileprivate static let endCall = Text("End the call", "通話を終える")
  fileprivate static let toCall = Text("People to call", "そろそろ電話したい人")
  fileprivate static let lastCalled = Text("last", "前回")
  fileprivate static let choosePerson = Text("Call somebody else", "ほかの人に電話する")
}
