import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite struct RecordsAccountTests {
  @Test func theFirstLoginKeepsWhatWasRecordedBefore() throws {
    let fixture = try ContactsFixture(hasServer: false)
    let ann = try fixture.addPerson("Ann")
    #expect(try fixture.read { try $0.accounts.current() } == AccountRecord())
    #expect(try fixture.read { try $0.accounts.endpoints() }.isEmpty)
    try fixture.write { try $0.accounts.login(Self.home, now: 5) }
    #expect(try fixture.read { try $0.accounts.current() } == Self.home)
    #expect(try fixture.read { try $0.records.get(Person.self, ann.id) }?.firstName == "Ann")
    #expect(try fixture.read { try $0.outbox.due(now: 10, limit: 5) }.map(\.id) == [ann.id])
  }

  @Test func accountsAreKeptApart() throws {
    let fixture = try ContactsFixture(hasServer: false)
    let ann = try fixture.addPerson("Ann")
    let work = AccountRecord(endpoint: "https://work.example", state: .loggedIn, userID: 2, userName: "W")
    try fixture.write { transaction in
      try transaction.accounts.login(Self.home, now: 5)
      try transaction.accounts.setPullState([1, 2])
      _ = try transaction.templates.save(CallTemplate.with { $0.name = "short" })
      try transaction.catalog.replace("gender", with: [CatalogEntry.with { $0.name = "Woman" }])
      try transaction.accounts.login(work, now: 6)
    }
    #expect(try fixture.read { try $0.records.get(Person.self, ann.id) } == nil)
    #expect(try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.isEmpty)
    #expect(try fixture.read { try $0.records.searchPeople("ann") }.people.isEmpty)
    #expect(try fixture.read { try $0.outbox.due(now: 10, limit: 5) }.isEmpty)
    #expect(try fixture.read { try $0.outbox.counts() } == OutboxCounts())
    #expect(try fixture.read { try $0.accounts.pullState() } == nil)
    #expect(try fixture.read { try $0.templates.list() }.isEmpty)
    #expect(try fixture.read { try $0.catalog.list() }.isEmpty)
    let bob = try fixture.addPerson("Bob")
    // The same server id names another person there.
    for endpoint in [work.endpoint, Self.home.endpoint] {
      try fixture.write { transaction in
        try transaction.accounts.switchTo(endpoint, now: 7)
        let listed = RemoteRecord(Person(first: "One of \(endpoint)").any, id: 1)
        _ = try transaction.records.merge([listed], now: 8) { _, _ in .take }
      }
    }
    #expect(try fixture.read { try $0.accounts.endpoints() } == [Self.home.endpoint, work.endpoint])
    #expect(try fixture.read { try $0.accounts.pullState() } == [1, 2])
    #expect(try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.count == 2)
    #expect(try fixture.read { try $0.records.get(Person.self, bob.id) } == nil)
    #expect(try fixture.read { try $0.outbox.due(now: 10, limit: 5) }.map(\.id) == [ann.id])
    let unknown = #expect(throws: Failure.self) { try fixture.write { try $0.accounts.switchTo("https://x", now: 1) } }
    #expect(unknown?.reason == "RECORD_UNKNOWN")
  }

  @Test func anotherUserOfTheSameServerIsRefused() throws {
    let fixture = try ContactsFixture(hasServer: false)
    var other = Self.home
    other.userID = 9
    try fixture.write { try $0.accounts.login(Self.home, now: 5) }
    // Nothing from the server is stored yet.
    try fixture.write { [other] in try $0.accounts.login(other, now: 6) }
    try fixture.write { try $0.accounts.login(Self.home, now: 7) }
    _ = try fixture.write {
      try $0.records.merge([RemoteRecord(Person(first: "A").any, id: 1)], now: 1) { _, _ in .take }
    }
    let failure = #expect(throws: Failure.self) {
      try fixture.write { [other] in try $0.accounts.login(other, now: 8) }
    }
    #expect(failure?.reason == "OTHER_USER")
    try fixture.write { try $0.accounts.setState(.expired) }
    #expect(try fixture.read { try $0.accounts.current() }.state == .expired)
    try fixture.write { try $0.accounts.login(Self.home, now: 9) }
    #expect(try fixture.read { try $0.accounts.current() } == Self.home)
  }

  @Test func whatTheServerCanGiveAgainIsForgotten() throws {
    let fixture = try ContactsFixture()
    try fixture.addSource("home")
    let contact = Contact("Cem")
    try fixture.write { try $0.contacts.insert(contact) }
    let (ann, bob, cem) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"), try fixture.addPerson("Cem"))
    try fixture.addCall(ann, at: 1, "about whales")
    let kept = try fixture.addCall(bob, at: 2, "about whales too") {
      $0.attachments = [BlobRef.with { $0.sha256 = String(repeating: "ab", count: 32) }]
    }
    try fixture.write { try $0.links.link(person: cem.id, contact: contact.id) }
    let refused = #expect(throws: Failure.self) {
      try fixture.write { try $0.accounts.clearCache(discardPending: false) }
    }
    #expect(refused?.reason == "CHANGES_WAIT")
    try fixture.push()
    try fixture.write { try $0.accounts.setPullState([1]) }
    let reply = try fixture.write { try $0.accounts.clearCache(discardPending: false) }
    #expect(reply.removed == 2 && reply.kept == 3)
    #expect(try fixture.read { try $0.accounts.pullState() } == nil)
    #expect(
      try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.map(\.id).sorted()
        == [bob.id, cem.id].sorted())
    #expect(try fixture.read { try $0.records.search("whales", kinds: [.call]) }.records.map(\.record.id) == [kept.id])
    #expect(try fixture.read { try $0.records.searchPeople("ann") }.people.isEmpty)
    #expect(try fixture.check() == "ok")
    try fixture.addPerson("Dan")
    #expect(try fixture.write { try $0.accounts.clearCache(discardPending: true) }.removed == 1)
    #expect(try fixture.queued().isEmpty)
  }

  @Test func whatTheServerLacksAndLiesInTheTrashIsNotForgotten() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    try fixture.push()
    let note = try fixture.write { try $0.records.create(Note(of: ann, "only here"), now: 1) }
    try fixture.push(next: 2)
    let there = try #require(try fixture.read { try $0.records.get(Note.self, note.id) }).monicaID
    #expect(try fixture.write { try $0.settle(missing: [there], of: .note, now: 200) } == (1, 0))
    #expect(try fixture.write { try $0.accounts.clearCache(discardPending: false) }.kept == 2)
    _ = try fixture.write { try $0.records.restore(Note.self, note.id, now: 300) }
    #expect(try fixture.read { try $0.records.get(Note.self, note.id) }?.body == "only here")
  }

  @Test func statesOfTheSyncAreKept() throws {
    let fixture = try ContactsFixture(hasServer: false)
    #expect(try fixture.read { try $0.accounts.status() } == nil)
    let status = SyncStatus.with { $0.pushed = 3 }
    try fixture.write { transaction in
      try transaction.accounts.setStatus(status)
      try transaction.accounts.setLastPull(9)
      try transaction.accounts.setPullState([])
    }
    #expect(try fixture.read { try $0.accounts.status() } == status)
    #expect(try fixture.read { try $0.accounts.current() }.lastPullAt == 9)
    #expect(try fixture.read { try $0.accounts.pullState() } == [])
  }

  @Test func templatesAndCatalogsGoByTheirNames() throws {
    let fixture = try ContactsFixture()
    try fixture.write { transaction in
      for (name, note) in [("Weekly", "a"), ("Économie", "b"), ("Weekly", "c")] {
        try transaction.templates.save(
          CallTemplate.with {
            $0.name = name
            $0.note = note
          })
      }
      try transaction.catalog.replace(
        "contact_field_type", with: [Self.entry("Email", "email", 1), Self.entry("Fax", "", 2)])
      try transaction.catalog.replace(
        "contact_field_type", with: [Self.entry("E-Mail", "email", 1), Self.entry("Téléphone", "phone", 3)])
    }
    #expect(try fixture.read { try $0.templates.list() }.map(\.note) == ["b", "c"])
    #expect(try fixture.read { try $0.templates.find("WEEKLY") }?.note == "c")
    #expect(try fixture.write { try $0.templates.delete("weekly") }.note == "c")
    let gone = #expect(throws: Failure.self) { try fixture.write { try $0.templates.delete("weekly") } }
    #expect(gone?.reason == "RECORD_UNKNOWN")
    let names = ["e-mail", "EMAIL", "telephone", "phone", "fax"]
    let found = try fixture.read { view in try names.map { try view.catalog.find("contact_field_type", $0)?.monicaID } }
    #expect(found == [1, 1, 3, 3, nil])
    #expect(try fixture.read { try $0.catalog.list("contact_field_type") }.map(\.name) == ["E-Mail", "Téléphone"])
  }

  private static let home = AccountRecord(
    endpoint: "https://home.example/monica", state: .loggedIn, userID: 1, userName: "H", userEmail: "h@mail.example",
    caFile: "/etc/ca.pem")

  private static func entry(_ name: String, _ type: String, _ id: UInt64) -> CatalogEntry {
    CatalogEntry.with {
      $0.name = name
      $0.type = type
      $0.monicaID = id
    }
  }
}
