public import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

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
    let (items, next) = try await self.items(view, hub)
    let tags = try await hub.ask(ListTagsRequest.with { $0.limit = 500 }).tags
    let isWhole = self.text.isEmpty && self.tag.isEmpty
    let list: HTML =
      items.isEmpty
      ? "<p class=\"empty\">\(view[isWhole ? Person.words.none : .noPeopleFound])</p>"
      : "<ul class=\"entries\">\(HTML(items))</ul>"
    let adding: HTML = view.canRecord ? try await self.adding(view, hub) : ""
    let links = HTML(Self.links.map { "<a href=\"\($0.path)\">\(view[$0.name])</a>" })
    return Shown(
      view[.people], in: .people, follows: ["people", "calls", "conversations"],
      """
      <form class="filter" method="get" action="/people" role="search">
      \(view.input(.search, "text", self.text, type: "search", " data-test=\"search\" maxlength=\"200\""))\
      <button>\(view[.show])</button></form>
      \(self.badges(tags, view))<section class="card">\(list)</section>\(view.more("/people", ["tag": self.tag], cursor: next))\
      \(adding)<p class="links">\(links)</p>
      """)
  }

  private static let links: [(path: String, name: Text)] = [
    (RecordList.path(Conversation.self, ""), Conversation.words.many),
    (RecordList.path(TaskItem.self, ""), TaskItem.words.many),
    (RecordList.path(Activity.self, ""), Activity.words.many), (RecordList.path(Gift.self, ""), Gift.words.many),
    ("/contacts", .contacts),
  ]

  /// All people, or those found, contacts of the address book included.
  private func items(_ view: PageView, _ hub: some Port) async throws(Failure) -> (items: [HTML], next: String) {
    guard self.text.isEmpty else {
      var search = WhoRequest()
      search.text = self.text
      let hits = try await hub.ask(search).hits
      let next = "/people?text=\(AddressText.encoded(self.text))"
      return (
        hits.map {
          $0.hasPerson ? self.item($0.person, view) : ContactItem(view: view).html($0.contact, next: next)
        }, ""
      )
    }
    var list = ListPeopleRequest()
    list.tag = self.tag
    list.cursor = self.cursor
    let reply = try await hub.ask(list)
    return (reply.people.map { self.item($0, view) }, reply.nextCursor)
  }

  private func item(_ person: Person, _ view: PageView) -> HTML {
    let about = [person.nickname, person.company].filter { !$0.isEmpty }.joined(separator: " · ")
    let last: HTML =
      person.hasLastInteractionAt
      ? """
       <span class="words">\(view[.lastContact]): \(view.distance(to: view.zone.day(at: person.lastInteractionAt.nanosecondsSince1970)))</span>
      """ : ""
    return """
      <li data-test="person"><a href="/people/\(person.id)"><span class="kind">\(person.shownName)</span> \(about)\(last)</a></li>
      """
  }

  /// The tags as badges; the chosen one is marked, and may be renamed.
  private func badges(_ tags: [Tag], _ view: PageView) -> HTML {
    guard !tags.isEmpty else { return "" }
    func badge(_ path: String, _ name: String, _ isCurrent: Bool) -> HTML {
      let mark: HTML = isCurrent ? " aria-current=\"true\"" : ""
      return "<a class=\"badge\" data-test=\"tag\" href=\"\(path)\"\(mark)>\(name)</a>"
    }
    let all = badge("/people", view[.all], self.tag.isEmpty)
    let badges = HTML(tags.map { badge("/people?tag=\(AddressText.encoded($0.name))", $0.name, $0.name == self.tag) })
    let change: HTML =
      tags.first { $0.name == self.tag && view.canRecord }
      .map { "<a href=\"\(RecordList.path(Tag.self, "", $0.id))\">\(view[.changeTag])</a>" } ?? ""
    return "<p class=\"badges\">\(all)\(badges)\(change)</p>"
  }

  private func adding(_ view: PageView, _ hub: some Port) async throws(Failure) -> HTML {
    let form = RecordForm(view: view, catalog: try await Catalog.read(hub)).creation(
      Person.self, of: "", next: "/people")
    return "<details class=\"card\"><summary>\(view[Person.words.add])</summary>\(form)</details>"
  }
}

extension Text {
  static let people = Text("People", "人")
  fileprivate static let changeTag = Text("Rename or delete this tag", "このタグの名前を変更・削除")
}
