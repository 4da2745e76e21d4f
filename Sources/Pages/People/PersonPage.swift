public import Bus
internal import CivilTime
internal import KithMessages
internal import SwiftProtobuf

/// One person, with everything that belongs to them.
public struct PersonPage: Page {
  private let id: String

  /// Makes the page.
  public init(id: String) { self.id = id }

  /// Asks for the person, and for the names among which the forms choose.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let details = try await hub.ask(GetPersonRequest.with { $0.id = self.id })
    guard !details.person.hasDeletedAt else {
      return Shown(
        details.person.shownName, in: .people, follows: ["people"],
        "<p role=\"status\">\(view[.isDeleted])</p><p class=\"links\"><a href=\"/people\">\(view[.people])</a></p>")
    }
    let (catalog, tags) =
      view.canRecord
      ? (try await Catalog.read(hub), try await hub.ask(ListTagsRequest.with { $0.limit = 500 }).tags)
      : (Catalog([]), [])
    let templates = view.canRecord ? try await hub.ask(ListCallTemplatesRequest()).templates : []
    let head = PersonHead(view: view, details: details)
    let parts = PersonParts(view: view, details: details, catalog: catalog)
    return Shown(
      details.person.shownName, in: .people, follows: ["people", "calls", "conversations"],
      """
      \(head.about())\(head.addressBook())\(head.tags(known: tags))\(parts.section(ContactField.self, most: 10))\(parts.relationships())\(parts.calls(templates: templates))\
      \(parts.section(Conversation.self))\(parts.section(Activity.self))\(parts.section(Note.self))\(parts.section(TaskItem.self))\
      \(parts.section(Gift.self))\(parts.section(PersonReminder.self))\(parts.section(PersonAddress.self))
      """)
  }
}

/// What the page of a person begins with: who it is, how to call, and the tags.
struct PersonHead: Sendable {
  let view: PageView
  let details: PersonDetails

  private var person: Person { self.details.person }
  private var path: String { "/people/\(self.person.id)" }

  /// Photo, facts, and the buttons that call.
  func about() -> HTML {
    let photo: HTML =
      self.person.hasPhoto
      ? "<img class=\"photo\" alt=\"\" src=\"/blobs/\(self.person.photo.sha256)\">"
      : ContactItem(view: self.view).photo(self.details.contact)
    let facts = HTML(
      self.facts.filter { !$0.value.text.isEmpty }.map { "<dt>\(self.view[$0.label])</dt><dd>\($0.value)</dd>" })
    let edit: HTML =
      self.view.canRecord
      ? "<p class=\"links\"><a href=\"\(RecordList.path(Person.self, "", self.person.id))\">\(self.view[.edit])</a></p>"
      : ""
    return """
      <section class="card" data-test="person">\(photo)<dl class="facts">\(facts)</dl>\(self.calling())\(edit)</section>
      """
  }

  /// What the address book says of the same person.
  func addressBook() -> HTML {
    let contact = self.details.contact
    guard self.details.hasContact else { return "" }
    let places = HTML(
      contact.addresses.map { address in
        let parts = [address.street, address.postalCode, address.city, address.country].filter { !$0.isEmpty }
        return
          "<li>\(self.view[label: address.label]) \(address.formatted.isEmpty ? parts.joined(separator: " ") : address.formatted)</li>"
      })
    let unlink: HTML =
      self.view.canRecord
      ? """
      <p class="actions">\(Form(Methods.peopleLink, next: self.path, self.view).with("personId", self.person.id)
        .button(self.view[.unlink], test: "unlink"))</p>
      """ : ""
    return """
      <section class="card" data-test="address-book"><h2>\(self.view[.contacts])</h2>\(ContactItem(view: self.view).ways(contact))\
      <ul>\(places)</ul><details><summary>\(contact.formattedName)</summary>\(unlink)</details></section>
      """
  }

  private var facts: [(label: Text, value: HTML)] {
    let person = self.person
    let label = { (field: String) in FieldWords.label(field, of: .person) ?? Text(field, field) }
    let died: HTML = !person.isDead ? "" : person.deceasedOn.isEmpty ? "✓" : self.day(person.deceasedOn)
    let last: HTML =
      person.hasLastInteractionAt
      ? self.view.dated(self.view.zone.day(at: person.lastInteractionAt.nanosecondsSince1970)) : ""
    return [
      (label("nickname"), "\(person.nickname)"), (label("birthday"), self.birthday), (label("deceased_on"), died),
      (label("job"), "\(person.job)"), (label("company"), "\(person.company)"),
      (label("description"), "\(person.description_p)"),
      (label("gender"), "\(self.view[name: person.gender])"), (label("food_preferences"), "\(person.foodPreferences)"),
      (label("how_met"), "\(person.howMet)"), (.lastContact, last),
    ]
  }

  /// The birthday, with the age and when it returns, as long as the person lives.
  private var birthday: HTML {
    let birthday = self.person.birthday.isEmpty ? self.details.contact.birthday : self.person.birthday
    guard let day = PartialDay(birthday) else { return "\(birthday)" }
    let words = day.words(self.view)
    guard !self.person.isDead else { return "\(words)" }
    let age = day.years(until: self.view.today).map { self.view[.age, ["years": "\($0)"]] }
    let next = day.next(from: self.view.today).map { self.view[.birthdayComes, ["when": self.view.distance(to: $0)]] }
    return "\([words, age, next].compactMap(\.self).joined(separator: " · "))"
  }

  private func day(_ text: String) -> HTML { "\(PartialDay(text)?.words(self.view) ?? text)" }

  private func calling() -> HTML {
    let own = self.details.fields.map { ReachLink(type: $0.type, data: $0.data) }
    let theirs = self.details.contact.phones.map { ReachLink(type: "phone", data: $0.value) }
    let number = (own + theirs).lazy.compactMap { $0?.address }.first { $0.hasPrefix("tel:") }
    let dial: HTML = number.map { "<a class=\"button\" href=\"\($0)\">\(self.view[.call])</a>" } ?? ""
    guard self.view.canRecord else { return "<p class=\"actions\">\(dial)</p>" }
    return """
      <p class="actions">\(dial)\
      \(Form(Methods.callsStart, next: "/calls", self.view).creating().noting(now: "startedAt").with("personId", self.person.id)
        .button(self.view[.startTimer], test: "call-start", style: "primary"))\
      \(Form(Methods.callsQuick, next: self.path, self.view).creating().noting(now: "endedAt").with("personId", self.person.id)
        .button(self.view[.justCalled]))</p>
      """
  }

  /// The tags as badges, each of which leads to the people who have it, and the forms that add and remove one.
  func tags(known: [Tag]) -> HTML {
    let badges = HTML(
      self.person.tags.map {
        "<a class=\"badge\" data-test=\"tag\" href=\"/people?tag=\(AddressText.encoded($0))\">\($0)</a>"
      })
    let shown: HTML =
      self.person.tags.isEmpty
      ? "<p class=\"empty\">\(self.view[Tag.words.none])</p>" : "<p class=\"badges\">\(badges)</p>"
    return """
      <section class="card"><h2>\(self.view[.tags])</h2>\(shown)\(self.view.canRecord ? self.tagging(known) : "")</section>
      """
  }

  private func tagging(_ known: [Tag]) -> HTML {
    let form = Form(Methods.tagsAssign, next: self.path, self.view).with("personId", self.person.id)
    let options = HTML(known.map { "<option value=\"\($0.name)\"></option>" })
    let removing = HTML(
      self.person.tags.map { form.with("remove[]", $0).button(self.view[.removeTag, ["tag": $0]]) })
    return """
      <details><summary>\(self.view[.changeTags])</summary>\(form.html("""
      \(self.view.input(Tag.words.add, "add[]", "", type: "text", " required maxlength=\"255\" list=\"tags\""))\
      <datalist id="tags">\(options)</datalist><button>\(self.view[.save])</button>
      """))<p class="actions">\(removing)</p></details>
      """
  }
}

extension Text {
  static let lastContact = Text("Last contact", "最後の連絡")
  fileprivate static let unlink = Text("This is somebody else", "別の人です")
  fileprivate static let age = Text("{years} years old", "{years}歳")
  fileprivate static let birthdayComes = Text("birthday {when}", "誕生日は{when}")
  fileprivate static let startTimer = Text("Start the timer", "通話を始める")
  fileprivate static let justCalled = Text("Just called", "電話した")
  fileprivate static let changeTags = Text("Change the tags", "タグを変更")
  fileprivate static let removeTag = Text("Remove {tag}", "{tag}を外す")
}
