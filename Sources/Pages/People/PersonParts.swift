internal import Bus
internal import KithMessages

/// What belongs to a person, as their page shows it: the first records of each kind, the way to all, and the form that adds one.
struct PersonParts: Sendable {
  let view: PageView
  let details: PersonDetails
  let catalog: Catalog

  private var person: String { self.details.person.id }
  private var path: String { "/people/\(self.person)" }
  private var list: RecordList { RecordList(view: self.view, path: self.path, showsPerson: false) }

  /// The records of a kind.
  ///
  /// - Parameters:
  ///   - most: How many are shown.
  ///   - picture: What stands above them.
  func section<R: PersonRecord>(_ type: R.Type, most: Int = 5, picture: HTML = "") -> HTML {
    let records = R.some(of: self.details)
    // The hub leaves out what would make its answer too large, so that there may be more than it has.
    let all: HTML =
      records.isEmpty
      ? "" : "<p class=\"links\"><a href=\"\(RecordList.path(R.self, self.person))\">\(self.view[.showAll])</a></p>"
    return """
      <section class="card"><h2>\(self.view[R.words.many])</h2>\(picture)\(self.list.html(Array(records.prefix(most)), of: self.person))\
      \(all)\(self.adding(R.self))</section>
      """
  }

  /// The related people, as a picture and as a list.
  func relationships() -> HTML {
    self.section(
      Relationship.self, most: RelationPicture.most,
      picture: RelationPicture.html(of: self.details.person, self.details.relationships, self.view))
  }

  /// Calls, which have pages of their own.
  func calls(templates: [CallTemplate]) -> HTML {
    let parts = CallParts(view: self.view)
    let form = Form(Methods.callsLog, next: self.path, self.view).creating().with("record.personId", self.person)
      .noting(now: "record.calledAt")
    let choices = [("", "–")] + templates.map { ($0.name, $0.name) }
    let template: HTML =
      templates.isEmpty ? "" : self.view.select(.template, "template", "", choices)
    let adding: HTML =
      self.view.canRecord
      ? """
      <details><summary>\(self.view[.logCall])</summary>\(parts.voice(with: self.person))\
      \(form.html("\(template)\(parts.fields(Call()))\(parts.photoField())<button data-test=\"log\">\(self.view[.save])</button>"))</details>
      """ : ""
    let all: HTML =
      self.details.calls.isEmpty
      ? "" : "<p class=\"links\"><a href=\"/calls?person=\(self.person)\">\(self.view[.showAll])</a></p>"
    return """
      <section class="card"><h2>\(self.view[.calls])</h2>\(parts.list(Array(self.details.calls.prefix(5)), showsPerson: false))\(all)\(adding)</section>
      """
  }

  private func adding<R: PersonRecord>(_ type: R.Type) -> HTML {
    guard self.view.canRecord else { return "" }
    // A form that chooses among people has a page with a search for them.
    guard !R.asksForPerson else {
      return "<p class=\"links\"><a href=\"\(RecordList.path(R.self, self.person))\">\(self.view[R.words.add])</a></p>"
    }
    let form = RecordForm(view: self.view, catalog: self.catalog).creation(R.self, of: self.person, next: self.path)
    return "<details><summary>\(self.view[R.words.add])</summary>\(form)</details>"
  }
}

extension Text {
  fileprivate static let showAll = Text("Show all", "すべて表示")
  fileprivate static let template = Text("Template", "テンプレート")
  fileprivate static let logCall = Text("Log a call", "電話を記録")
}
