public import Bus
internal import KithMessages
internal import SwiftProtobuf

/// The records of a kind, of one person or of all, and the form that adds one.
public struct RecordsPage: Page {
  private let kind: String
  private let person: String
  private let text: String
  private let cursor: String

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - kind: The name of a kind of records that belong to people: `note`.
  ///   - person: The id of a person; nil = of all people.
  ///   - text: What the people are found by among whom the form chooses.
  public init(kind: String, person: String?, text: String?, cursor: String?) {
    self.kind = kind
    self.person = person ?? ""
    self.text = text ?? ""
    self.cursor = cursor ?? ""
  }

  /// Asks for the records.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    guard let type = RecordKind(named: self.kind)?.type as? any PersonRecord.Type else {
      throw .unknownRecord(self.kind, "There is no such list. Open the page of the person again.")
    }
    return try await self.show(type, view, hub)
  }

  private func show<R: PersonRecord>(_ type: R.Type, _ view: PageView, _ hub: some Port) async throws(Failure) -> Shown
  {
    let part = try await R.page(of: self.person, from: self.cursor, hub)
    let path = RecordList.path(R.self, self.person)
    let list = RecordList(view: view, path: path, showsPerson: self.person.isEmpty)
    let name =
      self.person.isEmpty ? "" : try await hub.ask(GetPersonRequest.with { $0.id = self.person }).person.shownName
    let owner: HTML = name.isEmpty ? "" : "<p class=\"links\"><a href=\"/people/\(self.person)\">\(name)</a></p>"
    let title = name.isEmpty ? view[R.words.many] : view[.ofPerson, ["what": view[R.words.many], "name": name]]
    let adding: HTML = view.canRecord ? try await self.adding(R.self, path, view, hub) : ""
    return Shown(
      title, in: .people, follows: [R.kind.rules.stream],
      """
      \(owner)\(adding)\
      <section class="card">\(list.html(part.records, of: self.person))</section>\
      \(view.more("/records/\(R.kind.name)", ["person": self.person], cursor: part.next))
      """)
  }

  /// The form; before it a search, if it chooses among more people than it shows.
  private func adding<R: PersonRecord>(
    _ type: R.Type, _ path: String, _ view: PageView, _ hub: some Port
  ) async throws(Failure) -> HTML {
    var form = RecordForm(view: view, catalog: try await Catalog.read(hub))
    var search: HTML = ""
    if self.person.isEmpty || R.asksForPerson {
      let choice = try await PeopleChoice.read(self.text, hub)
      form.people = choice.people.filter { $0.id != self.person }
      if choice.isCut || !self.text.isEmpty {
        search = """
          <form class="filter" method="get" action="/records/\(R.kind.name)" role="search"><input type="hidden" name="person" value="\(self.person)">\
          \(view.input(.findPerson, "text", self.text, type: "search", " maxlength=\"200\""))<button>\(view[.search])</button></form>
          """
      }
    }
    let needsPeople = R.asksForPerson || (self.person.isEmpty && R.kind.rules.owner == .person)
    let fields: HTML =
      needsPeople && form.people.isEmpty
      ? "<p class=\"empty\">\(view[.noPeopleFound])</p>" : form.creation(R.self, of: self.person, next: path)
    return "<section class=\"card\"><h2>\(view[R.words.add])</h2>\(search)\(fields)</section>"
  }
}

extension Text {
  static let noPeopleFound = Text("No contacts found.", "人が見つかりませんでした。")
  fileprivate static let ofPerson = Text("{what} – {name}", "{name}：{what}")
  fileprivate static let findPerson = Text("Find a person", "人を探す")
}
