public import Bus
internal import KithMessages

/// The people: all in the order of their names, those with a tag, or those found.
public struct PeoplePage: Page {
  private let text: String
  private let tag: String
  private let cursor: String

  /// Makes the page. Absent values do not restrict.
  public init(text: String?, tag: String?, cursor: String?) {
    self.text = text ?? ""
    self.tag = tag ?? ""
    self.cursor = cursor ?? ""
  }

  /// Asks for the people.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let (people, next) = try await self.people(hub)
    let tags = try await hub.ask(ListTagsRequest()).tags
    let items = HTML(
      people.map { person in
        let last: HTML =
          person.hasLastInteractionAt
          ? " <span class=\"words\">\(view.dayAndTime(of: person.lastInteractionAt))</span>" : ""
        return """
          <li data-test="person"><a href="/people/\(person.id)"><span class="kind">\(person.name)</span> \(person.nickname)\(last)</a></li>
          """
      })
    let tagLinks = HTML(tags.map { "<a href=\"/people?tag=\(AddressText.encoded($0.name))\">\($0.name)</a> " })
    let list: HTML =
      people.isEmpty ? "<p class=\"empty\">\(view[.noPeople])</p>" : "<ul class=\"entries\">\(items)</ul>"
    let add: HTML =
      view.canRecord
      ? """
      <details class="card"><summary>\(view[.addPerson])</summary>\(Form(Methods.peopleCreate, next: "/people", view).creating().html("""
      \(view.input(.firstName, "record.firstName", type: "text", " required maxlength=\"255\""))
      \(view.input(.lastName, "record.lastName"))\(view.input(.nickname, "record.nickname"))
      <button>\(view[.save])</button>
      """))</details>
      """ : ""
    return Shown(
      view[.people], in: .people, follows: ["people"],
      """
      <form class="filter" method="get" action="/people" role="search">
      \(view.input(.search, "text", self.text, type: "search", " data-test=\"search\" maxlength=\"200\""))\
      <button>\(view[.show])</button></form>
      <p class="links">\(tagLinks)</p><section class="card">\(list)</section>\
      \(view.more("/people", ["tag": self.tag], cursor: next))\(add)
      """)
  }

  private func people(_ hub: some Port) async throws(Failure) -> (people: [Person], next: String) {
    guard self.text.isEmpty else {
      var search = SearchPeopleRequest()
      search.text = self.text
      return (try await hub.ask(search).people, "")
    }
    var list = ListPeopleRequest()
    list.tag = self.tag
    list.cursor = self.cursor
    let reply = try await hub.ask(list)
    return (reply.people, reply.nextCursor)
  }
}

extension Person {
  /// The name that pages show.
  var name: String {
    if !self.displayName.isEmpty { return self.displayName }
    return [self.firstName, self.middleName, self.lastName].filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension Text {
  static let people = Text("People", "人")
  static let firstName = Text("First name", "名")
  static let lastName = Text("Last name", "姓")
  static let nickname = Text("Nickname", "ニックネーム")
  fileprivate static let noPeople = Text("No contacts found.", "人が見つかりませんでした。")
  fileprivate static let addPerson = Text("Add a person", "人を追加")
}
