public import Bus
internal import KithMessages

/// One record: corrected and deleted, and recorded again after its deletion.
public struct RecordPage: Page {
  private let kind: String
  private let id: String
  private let person: String

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - kind: The name of a kind of records: `contact_field`.
  ///   - person: The id of the person from whose page it is opened; nil = that to whom it belongs.
  public init(kind: String, id: String, person: String?) {
    self.kind = kind
    self.id = id
    self.person = person ?? ""
  }

  /// Asks for the record, and for the names among which its form chooses.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    guard let type = RecordKind(named: self.kind)?.type as? any FormRecord.Type else { throw self.unknown }
    return try await self.show(type, view, hub)
  }

  private var unknown: Failure {
    .unknownRecord(self.id, "There is no such record. Open the page of the person again.")
  }

  private func show<R: FormRecord>(_ type: R.Type, _ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    guard let record = try await R.find(self.id, of: self.person, hub) else { throw self.unknown }
    let person = self.person.isEmpty ? record.personID : self.person
    let home = R.kind == .person ? "/people/\(record.id)" : person.isEmpty ? "/people" : "/people/\(person)"
    let list = RecordList(view: view, path: home, showsPerson: false)
    let line: HTML = "<p data-test=\"\(R.kind.name)\">\(record.line(in: list))</p>"
    let change: HTML
    if !view.canRecord {
      change = ""
    } else if record.hasDeletedAt {
      let button = RecordForm(view: view, catalog: Catalog([])).again(record, next: home)
      change = "<p role=\"status\">\(view[.isDeleted])</p>\(R.self is any ListedRecord.Type ? button : "")"
    } else {
      let form = try await self.correction(record, of: person, home, view, hub)
      change = "\(form)\(self.deletion(record, person, home, view))"
    }
    return Shown(
      view[R.words.one], in: .people, follows: [R.kind.rules.stream],
      """
      <section class="card">\(line)\(change)<p class="links"><a href="\(home)">\(view[.back])</a></p></section>\
      \(record.hasDeletedAt ? "" : record.parts(view))
      """)
  }

  private func correction<R: FormRecord>(
    _ record: R, of person: String, _ home: String, _ view: PageView, _ hub: some Port
  ) async throws(Failure) -> HTML {
    guard !record.isCut else { return "<p>\(view[.tooLong])</p>" }
    var form = RecordForm(view: view, catalog: try await Catalog.read(hub))
    if R.fields.contains(where: { R.people.contains($0.name) && $0.rules.isEditable }) {
      form.people = try await PeopleChoice.read("", hub).people
    }
    // What has parts of its own is read on after it was corrected.
    let next = record.parts(view).text.isEmpty ? home : RecordList.path(R.self, person, record.id)
    return form.correction(record, of: person, next: next)
  }

  /// The button that deletes it; with a question before it if nothing brings it back.
  private func deletion<R: FormRecord>(_ record: R, _ person: String, _ home: String, _ view: PageView) -> HTML {
    let isKept = R.self is any ListedRecord.Type
    let next =
      isKept ? RecordList.path(R.self, person, record.id) : R.kind == .person || person.isEmpty ? "/people" : home
    let button = Form(R.Deletion.method, next: next, view).with("id", record.id).button(view[.delete], test: "delete")
    guard !isKept else { return "<p class=\"actions\">\(button)</p>" }
    let question = R.kind == .person ? Text.deletesPerson : R.kind == .tag ? .deletesTag : .deletesForGood
    return "<details><summary>\(view[.delete])</summary><p>\(view[question])</p>\(button)</details>"
  }
}

extension FormRecord {
  /// Whether the hub has cut its text to fit into a reply, so that a form would delete the rest.
  fileprivate var isCut: Bool {
    Self.flagPath("truncated").map { self[keyPath: $0] } ?? false && Self.kind != .conversation
  }
}

/// The people among whom a form chooses: those found, or the first in the order of their names.
struct PeopleChoice: Sendable {
  private static let most: UInt32 = 200

  let people: [(id: String, name: String)]
  /// Whether there are more.
  let isCut: Bool

  /// Asks the hub.
  ///
  /// - Parameter text: What to find; empty = everybody.
  static func read(_ text: String, _ hub: some Port) async throws(Failure) -> PeopleChoice {
    let (people, isCut): ([Person], Bool)
    if text.isEmpty {
      var list = ListPeopleRequest()
      list.limit = Self.most
      let reply = try await hub.ask(list)
      (people, isCut) = (reply.people, !reply.nextCursor.isEmpty)
    } else {
      var search = SearchPeopleRequest()
      search.text = text
      let reply = try await hub.ask(search)
      (people, isCut) = (reply.people, reply.more)
    }
    return PeopleChoice(people: people.map { ($0.id, $0.shownName) }, isCut: isCut)
  }
}

extension Text {
  static let back = Text("Back", "戻る")
  fileprivate static let tooLong = Text("This record is too long to be corrected here.", "長すぎるため、ここでは修正できません。")
  fileprivate static let deletesForGood = Text("It cannot be brought back.", "元に戻せません。")
  fileprivate static let deletesTag = Text("The tag is taken from everybody who has it.", "このタグは全員から外れます。")
  fileprivate static let deletesPerson = Text(
    "The person is deleted with all notes, calls and everything else that belongs to them. It cannot be brought back.",
    "この人のメモや電話の記録など、すべてが一緒に削除されます。元に戻せません。")
}
