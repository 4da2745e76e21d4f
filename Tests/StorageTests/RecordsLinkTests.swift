import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite struct RecordsLinkTests {
  @Test func contactsThatMayBePeopleAreSuggestedTheSurestFirst() throws {
    let fixture = try Self.household()
    let people = try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records
    let suggestions = try fixture.read { try $0.links.candidates() }.suggestions
    #expect(
      suggestions.map { "\($0.personName) is \($0.contactName) by \($0.reasons.joined(separator: " "))" } == [
        "Ann Lee is Lee, Ann by email phone name", "Ann Lee is Office by phone", "Jürgen Groß is Gross Jurgen by name",
      ])
    #expect(suggestions.allSatisfy { suggestion in people.contains { $0.id == suggestion.personID } })
    let first = try fixture.read { try $0.links.candidates(limit: 1) }
    let rest = try fixture.read { try $0.links.candidates(limit: 50, cursor: first.nextCursor) }
    #expect(first.suggestions + rest.suggestions == suggestions)
    #expect(rest.nextCursor.isEmpty)
    let ann = try #require(people.first { $0.firstName == "Ann" })
    #expect(try fixture.read { try $0.links.candidates(person: ann.id) }.suggestions == Array(suggestions.prefix(2)))
  }

  @Test func whatIsDecidedIsNotSuggestedAgain() throws {
    let fixture = try Self.household()
    var suggestions = try fixture.read { try $0.links.candidates() }.suggestions
    let (sure, office, name) = (suggestions[0], suggestions[1], suggestions[2])
    try fixture.write { try $0.links.dismiss(person: name.personID, contact: name.contactID) }
    suggestions = try fixture.read { try $0.links.candidates() }.suggestions
    #expect(suggestions == [sure, office])
    try fixture.write { try $0.links.link(person: sure.personID, contact: sure.contactID) }
    #expect(try fixture.read { try $0.links.candidates() }.suggestions.isEmpty)
    #expect(try fixture.read { try $0.records.require(Person.self, sure.personID) }.contactID == sure.contactID)
    let taken = #expect(throws: Failure.self) {
      try fixture.write { try $0.links.link(person: name.personID, contact: sure.contactID) }
    }
    #expect(taken?.reason == "CONTACT_LINKED")
    // A deleted contact does not count until it is restored.
    try fixture.write { try $0.contacts.softDelete([sure.contactID], at: 9) }
    #expect(try fixture.read { try $0.records.require(Person.self, sure.personID) }.contactID.isEmpty)
    _ = try fixture.write { try $0.contacts.restore(sure.contactID, at: 10) }
    #expect(try fixture.read { try $0.records.require(Person.self, sure.personID) }.contactID == sure.contactID)
    try fixture.write { try $0.links.link(person: sure.personID, contact: "") }
    #expect(try fixture.read { try $0.links.candidates() }.suggestions == [sure, office])
    let unknown = #expect(throws: Failure.self) {
      try fixture.write { try $0.links.link(person: sure.personID, contact: "x") }
    }
    #expect(unknown?.reason == "RECORD_UNKNOWN")
  }

  @Test func aLinkIsNothingThatTheServerIsTold() throws {
    let fixture = try Self.household()
    try fixture.push()
    let suggestion = try #require(try fixture.read { try $0.links.candidates() }.suggestions.first)
    try fixture.write { try $0.links.link(person: suggestion.personID, contact: suggestion.contactID) }
    #expect(try fixture.queued().isEmpty)
  }

  @Test func aLinkWhoseContactIsGoneIsNone() throws {
    let fixture = try Self.household()
    let sure = try #require(try fixture.read { try $0.links.candidates() }.suggestions.first)
    try fixture.write { try $0.links.link(person: sure.personID, contact: sure.contactID) }
    try fixture.write { try $0.contacts.softDelete([sure.contactID], at: 9) }
    let others = try fixture.read { try $0.links.candidates(person: sure.personID) }.suggestions
    #expect(others.map(\.contactName) == ["Office"])
    _ = try fixture.write { try $0.contacts.restore(sure.contactID, at: 10) }
    #expect(try fixture.read { try $0.links.candidates(person: sure.personID) }.suggestions.isEmpty)
    _ = try fixture.write { try $0.sources.remove("home") }
    try fixture.addSource("home")
    try fixture.write { try $0.contacts.insert(Contact("Ann Lee")) }
    #expect(try fixture.read { try $0.links.candidates() }.suggestions.map(\.personID) == [sure.personID])
  }

  @Test func aLinkFollowsItsCardIntoAnotherContact() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Mum")
    for name in ["home", "other"] { try fixture.addSource(name) }
    func contactID() throws -> String {
      try fixture.read { try $0.records.require(Person.self, ann.id) }.contactID
    }
    let first = try fixture.addCard("a.vcf", uid: "1", name: "Ann Lee")
    try fixture.write { try $0.links.link(person: ann.id, contact: first) }
    // A copy takes nothing away; it takes the place of a contact that is deleted.
    let copy = try fixture.addCard("b.vcf", uid: "1", name: "Ann Lee")
    #expect(try contactID() == first)
    try fixture.write { try $0.contacts.softDelete([first], at: 9) }
    #expect(try contactID() == copy)
    #expect(try fixture.read { try $0.acquaintances.person(ofContact: copy) }?.id == ann.id)
    // The first one comes back beside it.
    _ = try fixture.write { try $0.contacts.restore(first, at: 10) }
    #expect(try contactID() == copy)
    // The source goes, and its contacts are those of another one.
    let elsewhere = try fixture.addCard("a.vcf", uid: "1", name: "ann lee", in: "other")
    _ = try fixture.write { try $0.sources.remove("home") }
    #expect(try contactID() == elsewhere)
    // Nothing is left; then the source is added again.
    _ = try fixture.write { try $0.sources.remove("other") }
    #expect(try contactID().isEmpty)
    try fixture.addSource("home")
    let again = try fixture.addCard("new.vcf", uid: "1", name: "Ann Lee")
    #expect(try contactID() == again)
    // A contact that is restored, and one whose card gets the UID and name.
    try fixture.write { try $0.contacts.softDelete([again], at: 11) }
    let third = try fixture.addCard("c.vcf", uid: "3", name: "Cy")
    #expect(try contactID().isEmpty)
    try fixture.write { transaction in
      var contact = try #require(try transaction.contacts.get(third))
      (contact.uid, contact.formattedName) = ("1", "Ann Lee")
      try transaction.contacts.update(contact)
    }
    #expect(try contactID() == third)
    #expect(try fixture.check() == "ok")
  }

  @Test func theLinksOfAllAccountsFollow() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let first = try fixture.addCard("a.vcf", uid: "1", name: "Ann Lee")
    let home = try fixture.read { try $0.accounts.current() }.endpoint
    let work = AccountRecord(endpoint: "https://work.example", state: .loggedIn, userID: 2, userName: "W")
    let mum = try fixture.addPerson("Mum")
    try fixture.write { try $0.links.link(person: mum.id, contact: first) }
    try fixture.write { try $0.accounts.login(work, now: 6) }
    let ann = try fixture.addPerson("Ann")
    try fixture.write { try $0.links.link(person: ann.id, contact: first) }
    _ = try fixture.write { try $0.sources.remove("home") }
    try fixture.addSource("home")
    let again = try fixture.addCard("a.vcf", uid: "1", name: "Ann Lee")
    #expect(try fixture.read { try $0.records.require(Person.self, ann.id) }.contactID == again)
    try fixture.write { try $0.accounts.switchTo(home, now: 7) }
    #expect(try fixture.read { try $0.records.require(Person.self, mum.id) }.contactID == again)
  }

  @Test func aLinkFollowsNobodyElse() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    func contactID(_ person: Person) throws -> String {
      try fixture.read { try $0.records.require(Person.self, person.id) }.contactID
    }
    let first = try fixture.addCard("a.vcf", uid: "1", name: "Ann Lee")
    let taken = try fixture.addCard("b.vcf", uid: "1", name: "Ann Lee")
    let rejected = try fixture.addCard("c.vcf", uid: "1", name: "Ann Lee")
    try fixture.write { transaction in
      try transaction.links.link(person: ann.id, contact: first)
      try transaction.links.link(person: bob.id, contact: taken)
      try transaction.links.dismiss(person: ann.id, contact: rejected)
      try transaction.contacts.softDelete([first], at: 9)
    }
    // Another person under the same UID, as of a program that counts its cards, and cards without a UID.
    _ = try fixture.addCard("d.vcf", uid: "1", name: "Dan")
    _ = try fixture.addCard("e.vcf", uid: "", name: "Ann Lee")
    #expect(try contactID(ann).isEmpty)
    #expect(try contactID(bob) == taken)
    // A person who is deleted takes none away.
    _ = try fixture.write { try $0.records.delete(Person.self, ann.id, now: 10) }
    let free = try fixture.addCard("f.vcf", uid: "1", name: "Ann Lee")
    try fixture.write { try $0.contacts.softDelete([taken], at: 11) }
    #expect([free, rejected].contains(try contactID(bob)))
  }

  private static func household() throws -> ContactsFixture {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let ann = try fixture.addPerson("Ann", "Lee")
    try fixture.addPerson("Jürgen", "Groß")
    try fixture.addPerson("Bob")
    for (type, data) in [("email", "Ann@Mail.example"), ("phone", "+49 171 123 45 67")] {
      let field = ContactField.with {
        $0.personID = ann.id
        $0.type = type
        $0.data = data
      }
      _ = try fixture.write { try $0.records.create(field, now: 1) }
    }
    try fixture.write { transaction in
      for (name, email, phone) in [
        ("Lee, Ann", "ann@mail.example", "0171/1234567"), ("Office", "", "0049171-1234567"), ("Gross Jurgen", "", "12"),
        ("Ann", "ann@other.example", "0171/1234568"),
      ] {
        var contact = Contact(name)
        contact.emails = email.isEmpty ? [] : [LabeledValue.with { $0.value = email }]
        contact.phones = [LabeledValue.with { $0.value = phone }]
        try transaction.contacts.insert(contact)
      }
    }
    return fixture
  }
}

extension ContactsFixture {
  /// Adds a contact with its card.
  ///
  /// - Returns: The contact's id.
  fileprivate func addCard(
    _ href: String, uid: String, name: String, in source: String = "home"
  ) throws -> String {
    var contact = Contact(name, source: source)
    contact.uid = uid
    var card = CardRead()
    card.href = href
    card.contact = contact
    try self.write { try $0.cards.insert([(card, PreparedContact(contact))], in: source) }
    return contact.id
  }
}
