public import Bus
internal import KithMessages

/// The address book, as its sources have it.
public struct ContactsPage: Page {
  private let text: String
  private let cursor: String

  /// Makes the page. Absent values do not restrict.
  public init(text: String?, cursor: String?) {
    self.text = text ?? ""
    self.cursor = cursor ?? ""
  }

  /// Asks for the contacts.
  public func show(_ view: PageView, _ hub: some Port) async throws(Failure) -> Shown {
    let (contacts, next) = try await self.contacts(hub)
    let items = HTML(contacts.map { ContactItem(view: view).html($0, next: "/contacts") })
    let found: HTML = contacts.isEmpty ? "<p class=\"empty\">\(view[.noResults])</p>" : "<ul>\(items)</ul>"
    return Shown(
      view[.contacts], in: .people, follows: ["contacts", "sync"],
      """
      <form class="filter" method="get" action="/contacts" role="search">
      \(view.input(.search, "text", self.text, type: "search", " data-test=\"search\" maxlength=\"200\""))\
      <button>\(view[.show])</button></form>
      <section class="card">\(found)</section>\
      \(view.more("/contacts", [:], cursor: next))
      """)
  }

  private func contacts(_ hub: some Port) async throws(Failure) -> (contacts: [Contact], next: String) {
    guard self.text.isEmpty else {
      var search = SearchContactsRequest()
      search.text = self.text
      return (try await hub.ask(search).contacts, "")
    }
    var list = ListContactsRequest()
    list.cursor = self.cursor
    let reply = try await hub.ask(list)
    return (reply.contacts, reply.nextCursor)
  }
}

/// A contact in a list: the name, which opens to what the card says, and the button that makes a person of it.
struct ContactItem: Sendable {
  let view: PageView

  /// The item.
  ///
  /// - Parameter next: The page that is shown after a person was made; nil = there is no button.
  func html(_ contact: Contact, next: String?) -> HTML {
    let making: HTML =
      next.map { next in
        guard self.view.canRecord else { return "" }
        let form = Form(Methods.peopleOfContact, next: next, self.view).with("contactId", contact.id)
        return "<p class=\"actions\">\(form.button(self.view[.makePerson], test: "make-person"))</p>"
      } ?? ""
    return """
      <li data-test="contact"><details><summary>\(contact.formattedName)</summary>\(self.photo(contact))<p>\(contact.organization)</p>\
      \(self.ways(contact))\(making)</details></li>
      """
  }

  /// The phones and e-mail addresses, each with its link.
  func ways(_ contact: Contact) -> HTML {
    func item(_ type: String, _ value: LabeledValue) -> HTML {
      "<li>\(self.view[label: value.label]) \(ReachLink.html(ReachLink(type: type, data: value.value), value.value))</li>"
    }
    return "<ul>\(HTML(contact.phones.map { item("phone", $0) }))\(HTML(contact.emails.map { item("email", $0) }))</ul>"
  }

  /// The picture, if the card has one.
  func photo(_ contact: Contact) -> HTML {
    contact.hasPhoto ? "<img class=\"photo\" loading=\"lazy\" alt=\"\" src=\"/blobs/\(contact.photo.sha256)\">" : ""
  }
}

extension Text {
  static let contacts = Text("Address book", "アドレス帳")
  fileprivate static let makePerson = Text("Keep records of this person", "この人の記録をつける")
}
