internal import Bus
internal import KithMessages
internal import Storage

extension Transaction {
  /// The person of a contact of the address book, made of its names and linked if there is none.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`; `FAILED_PRECONDITION/RECORD_DELETED` for a deleted contact.
  func person(ofContact id: String, now: Int64) throws(Failure) -> Person {
    if let known = try self.acquaintances.person(ofContact: id) { return known }
    guard let contact = try self.contacts.get(id), !contact.hasDeletedAt else {
      throw Failure(
        .failedPrecondition, "RECORD_DELETED", "The contact '\(id.prefix(64))' is deleted. Restore it first.",
        details: ["record": String(id.prefix(64))])
    }
    let person = try self.make("", Person(named: contact), now: now)
    try self.links.link(person: person.id, contact: id)
    return try self.records.require(Person.self, person.id)
  }
}

extension Person {
  /// A new person with the names of a contact. Everything else stays with the contact, which the person is linked to.
  init(named contact: Contact) {
    self.init()
    let name = contact.name
    if name.given.isEmpty {
      let names = [name.family, contact.formattedName, contact.nickname, contact.organization]
      let values = (contact.emails + contact.phones).map(\.value)
      self.firstName = Self.line((names + values).first { !$0.isEmpty } ?? "")
    } else {
      (self.firstName, self.middleName) = (Self.line(name.given), Self.line(name.middle))
      self.lastName = Self.line(name.family)
    }
    self.nickname = Self.line(contact.nickname)
  }

  /// A text that a field of one line takes.
  private static func line(_ text: String) -> String {
    String(text.split(whereSeparator: \.isNewline).joined(separator: " ").unicodeScalars.prefix(255))
  }
}
