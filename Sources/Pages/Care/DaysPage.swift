public import Bus
internal import CivilTime
internal import KithMessages

/// Entries of other days: of one day, of a category, or found by their words.
public struct DaysPage: Page {
  private let day: String
  private let text: String
  private let category: String
  private let cursor: String

  /// Makes the page. Absent values do not restrict.
  public init(day: String?, text: String?, category: String?, cursor: String?) {
    self.day = day ?? ""
    self.text = text ?? ""
    self.category = category ?? ""
    self.cursor = cursor ?? ""
  }

  /// Asks for the entries.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let reply = try await self.entries(hub)
    let list = EntryList(view: view)
    var groups: [(day: Day, records: [CareRecord])] = []
    for record in reply.records {
      let day = view.zone.day(at: record.occurredAt.nanosecondsSince1970)
      if groups.last?.day == day {
        groups[groups.count - 1].records.append(record)
      } else {
        groups.append((day, [record]))
      }
    }
    let found = HTML(
      groups.map { group in
        """
        <section class="card"><h2><a href="/days?day=\(group.day.description)">\(view.name(of: group.day))</a></h2>\
        \(list.html(group.records, empty: .nothing))\
        <p class="links"><a href="/summary?day=\(group.day.description)">\(view[.summary])</a></p></section>
        """
      })
    return Shown(
      view[.days], in: .today, follows: ["care"],
      """
      \(self.filter(view))\(groups.isEmpty ? "<p class=\"empty\">\(view[.noResults])</p>" : found)\
      \(view.more("/days", ["day": self.day, "category": self.category, "text": self.text], cursor: reply.nextCursor))
      """)
  }

  private func entries(_ hub: some Port) async throws(Failure) -> ListCareReply {
    guard self.text.isEmpty else {
      var search = SearchCareRequest()
      search.text = self.text
      search.cursor = self.cursor
      return try await hub.ask(search)
    }
    var list = ListCareRequest()
    list.day = self.day
    list.category = self.category
    list.cursor = self.cursor
    return try await hub.ask(list)
  }

  private func filter(_ view: PageView) -> HTML {
    let categories = HTML(
      CareCategory.allCases.map { category in
        let selected: HTML = category.rawValue == self.category ? " selected" : ""
        return "<option value=\"\(category.rawValue)\"\(selected)>\(view[category.name])</option>"
      })
    return """
      <form class="filter" method="get" action="/days" role="search">
      <label>\(view[.search]) <input type="search" name="text" data-test="search" value="\(self.text)" maxlength="200"></label>
      <label>\(view[.day]) <input type="date" name="day" value="\(self.day)"></label>
      <label>\(view[.kind]) <select name="category"><option value="">\(view[.all])</option>\(categories)</select></label>
      <button>\(view[.show])</button></form>
      """
  }
}

extension Text {
  static let noResults = Text("Nothing was found.", "見つかりませんでした。")
  static let show = Text("Show", "表示")
  static let all = Text("All", "すべて")
  fileprivate static let day = Text("Day", "日付")
  fileprivate static let kind = Text("Kind", "種類")
}
