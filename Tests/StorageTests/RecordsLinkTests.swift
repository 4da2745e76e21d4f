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
