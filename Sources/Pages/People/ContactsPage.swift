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
    let items = HTML(contacts.map { self.item($0, view) })
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

  private func item(_ contact: Contact, _ view: PageView) -> HTML {
    let phones = HTML(
      contact.phones.map {
        "<li>\($0.label) \(ReachLink.html(ReachLink(type: "phone", data: $0.value), $0.value))</li>"
      })
    let emails = HTML(
      contact.emails.map {
        "<li>\($0.label) \(ReachLink.html(ReachLink(type: "email", data: $0.value), $0.value))</li>"
      })
    let photo: HTML =
      contact.hasPhoto ? "<img class=\"photo\" loading=\"lazy\" alt=\"\" src=\"/blobs/\(contact.photo.sha256)\">" : ""
    return """
      <li data-test="contact"><details><summary>\(contact.formattedName)</summary>\(photo)<p>\(contact.organization)</p>\
      <ul>\(phones)\(emails)</ul></details></li>
      """
  }
}

extension Text {
  static let contacts = Text("Address book", "アドレス帳")
}
