import Bus
import EventLoop
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Storage

@Suite struct RecordsTests {
  @Test(arguments: RecordKind.allCases) func everyKindComesBackAsItWasWritten(kind: RecordKind) throws {
    let fixture = try ContactsFixture()
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    func check<R: SyncedRecord>(_ type: R.Type) throws {
      let record = try #require(R(Self.sample(kind, of: ann, and: bob)))
      let created = try fixture.write { try $0.records.create(record, now: 5) }
      #expect(created.syncState == "pending")
      #expect(created.createdAt == .init(nanosecondsSince1970: 5))
      #expect(created.personID == record.personID)
      // Every written field is stored, and only read-only fields are filled in.
      #expect(created.any.isSame(as: record.any))
      #expect(try fixture.read { try $0.records.get(type, created.id) } == created)
      #expect(try fixture.read { try $0.records.find(created.id) } == created.any)
      #expect(try fixture.read { try $0.records.page(type, RecordQuery(limit: 500)) }.records.contains(created))
      if !kind.isNamed {
        #expect(try fixture.read { try $0.records.all(type, ofPerson: ann.id) } == [created])
      }
      let deleted = try fixture.write { try $0.records.delete(type, created.id, now: 6) }
      #expect(deleted.deletedAt == .init(nanosecondsSince1970: 6))
      #expect(try !fixture.read { try $0.records.page(type, RecordQuery()) }.records.map(\.id).contains(created.id))
      let restored = try fixture.write { try $0.records.restore(type, created.id, now: 7) }
      #expect(!restored.hasDeletedAt)
      #expect(restored.any.stripped == created.any.stripped)
      for other in RecordKind.allCases where other != kind {
        func none<Other: SyncedRecord>(_ type: Other.Type) throws {
          #expect(try fixture.read { try $0.records.get(type, created.id) } == nil)
        }
        try none(other.type)
      }
    }
    try check(kind.type)
    #expect(try fixture.check() == "ok")
  }

  @Test func anUpdateSaysWhatChangedAndOnlyThat() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (person, call) = try await storage.write { transaction throws(Failure) in
      let person = try transaction.records.create(Person(first: "Ann"), now: 1)
      return (person, try transaction.records.create(Call(with: person, at: 1), now: 1))
    }
    let same = try await storage.write { transaction throws(Failure) in try transaction.records.update(call, now: 2) }
    #expect(same == call)
    _ = try await storage.write { transaction throws(Failure) in
      var call = call
      call.note = "a"
      call = try transaction.records.update(call, now: 3)
      call.note = "b"
      return try transaction.records.update(call, now: 4)
    }
    let changes = temporary.published.withLock {
      $0.map { "\($0.header.stream) \($0.event.changed.kind) \($0.event.changed.ids)" }
    }
    #expect(
      changes == [
        "people person [\"\(person.id)\"]", "calls call [\"\(call.id)\"]", "calls call [\"\(call.id)\"]",
      ])
    await storage.close()
  }

  @Test func namesAndMomentsFollowFromOtherRecords() throws {
    let fixture = try ContactsFixture()
    var ann = try fixture.addPerson("Ann", "Lee") { $0.middleName = "Mia" }
    #expect(ann.displayName == "Ann Mia Lee")
    #expect(!ann.hasLastInteractionAt)
    let call = try fixture.addCall(ann, at: 30)
    #expect(call.personName == "Ann Mia Lee")
    ann.lastName = "Berg"
    ann = try fixture.write { try $0.records.update(ann, now: 3) }
    #expect(try fixture.read { try $0.records.get(Call.self, call.id) }?.personName == "Ann Mia Berg")
    var conversation = Conversation()
    conversation.personID = ann.id
    conversation.happenedAt = .init(nanosecondsSince1970: 50)
    #expect(try fixture.write { try $0.records.create(conversation, now: 60) }.personName == "Ann Mia Berg")
    #expect(
      try fixture.read { try $0.records.get(Person.self, ann.id) }?.lastInteractionAt == .init(nanosecondsSince1970: 50)
    )
    var activity = Activity()
    activity.participants = [ann.id]
    activity.happenedOn = "1970-01-02"
    #expect(try fixture.write { try $0.records.create(activity, now: 60) }.personID == ann.id)
    #expect(
      try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.first?.lastInteractionAt.seconds
        == 86_400)
  }

  @Test func aRelationshipIsSeenFromBothSides() throws {
    let fixture = try ContactsFixture()
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    var relationship = Relationship()
    relationship.personID = ann.id
    relationship.otherID = bob.id
    relationship.type = "parent"
    var entry = CatalogEntry()
    entry.catalog = "relationship_type"
    entry.name = "parent"
    entry.reverseName = "child"
    let stored = try fixture.write { [entry, relationship] in
      try $0.catalog.replace("relationship_type", with: [entry])
      return try $0.records.create(relationship, now: 1)
    }
    #expect([stored.otherName, stored.type, stored.reverseType] == ["Bob", "parent", "child"])
    let seen = try #require(try fixture.read { try $0.records.all(Relationship.self, ofPerson: bob.id) }.first)
    #expect([seen.personID, seen.otherID, seen.otherName] == [bob.id, ann.id, "Ann"])
    #expect([seen.type, seen.reverseType] == ["child", "parent"])
    #expect(seen.id == stored.id)
  }

  @Test func tagsAreCountedHoweverTheyAreWritten() throws {
    let fixture = try ContactsFixture()
    var tag = Tag()
    tag.name = "Família"
    let stored = try fixture.write { [tag] in try $0.records.create(tag, now: 1) }
    #expect(stored.people == 0)
    try fixture.addPerson("Ann") { $0.tags = ["familia", "Familia"] }
    let bob = try fixture.addPerson("Bob") { $0.tags = ["FAMÍLIA", "work"] }
    #expect(try fixture.read { try $0.records.page(Tag.self, RecordQuery()) }.records.map(\.people) == [2])
    _ = try fixture.write { try $0.records.delete(Person.self, bob.id, now: 2) }
    #expect(try fixture.read { try $0.records.require(Tag.self, stored.id) }.people == 1)
  }

  @Test func withAPersonGoesWhatIsTheirsAlone() throws {
    let fixture = try ContactsFixture()
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    let call = try fixture.addCall(ann, at: 1, "about the garden")
    var both = Activity()
    both.participants = [ann.id, bob.id]
    var alone = both
    alone.participants = [ann.id]
    var relationship = Relationship()
    relationship.personID = bob.id
    relationship.otherID = ann.id
    let (shared, own, link) = try fixture.write { [both, alone, relationship] in
      (
        try $0.records.create(both, now: 2), try $0.records.create(alone, now: 2),
        try $0.records.create(relationship, now: 2)
      )
    }
    let before = try fixture.read { try $0.records.timeline(of: RecordKind.allCases, RecordQuery(person: ann.id)) }
      .records
    _ = try fixture.write {
      try $0.records.delete(Note.self, try $0.records.create(Note(of: ann, "gone"), now: 2).id, now: 3)
    }

    _ = try fixture.write { try $0.records.delete(Person.self, ann.id, now: 4) }
    for id in [ann.id, call.id, own.id, link.id] {
      #expect(try fixture.read { try $0.records.find(id) }?.record.deletedAt == .init(nanosecondsSince1970: 4))
    }
    #expect(try fixture.read { try $0.records.page(Activity.self, RecordQuery()) }.records.map(\.id) == [shared.id])
    #expect(try fixture.read { try $0.records.search("garden", kinds: [.call]) }.records.isEmpty)
    #expect(try fixture.read { try $0.records.searchPeople("ann") }.people.isEmpty)
    let refused = #expect(throws: Failure.self) { try fixture.addCall(ann, at: 5) }
    #expect(refused?.reason == "RECORD_DELETED")

    _ = try fixture.write { try $0.records.restore(Person.self, ann.id, now: 6) }
    let after = try fixture.read { try $0.records.timeline(of: RecordKind.allCases, RecordQuery(person: ann.id)) }
      .records
    #expect(after.map(\.stripped) == before.map(\.stripped))
    #expect(try fixture.read { try $0.records.search("garden", kinds: [.call]) }.records.count == 1)
  }

  @Test func aRelationshipComesBackWithTheLastOfItsPeople() throws {
    let fixture = try ContactsFixture()
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    var relationship = Relationship()
    relationship.personID = ann.id
    relationship.otherID = bob.id
    let link = try fixture.write { [relationship] in try $0.records.create(relationship, now: 1) }
    try fixture.write { transaction in
      _ = try transaction.records.delete(Person.self, ann.id, now: 2)
      _ = try transaction.records.delete(Person.self, bob.id, now: 3)
      _ = try transaction.records.restore(Person.self, ann.id, now: 4)
    }
    #expect(try fixture.read { try $0.records.require(Relationship.self, link.id) }.hasDeletedAt)
    try fixture.write { _ = try $0.records.restore(Person.self, bob.id, now: 5) }
    #expect(try fixture.read { try $0.records.require(Relationship.self, link.id) }.hasDeletedAt == false)
  }

  @Test func whatIsNotThereIsNamed() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    var gone = Person()
    gone.id = "nobody"
    let failures = [
      #expect(throws: Failure.self) { try fixture.read { try $0.records.require(Note.self, ann.id) } },
      #expect(throws: Failure.self) { try fixture.addCall(gone, at: 1) },
      #expect(throws: Failure.self) { try fixture.read { try $0.records.page(Call.self, RecordQuery(person: "x")) } },
      #expect(throws: Failure.self) { try fixture.write { try $0.records.delete(Call.self, "x", now: 1) } },
    ]
    for failure in failures { #expect(failure?.reason == "RECORD_UNKNOWN") }
    let nobody = #expect(throws: Failure.self) { try fixture.write { try $0.records.create(Call(), now: 1) } }
    #expect(nobody?.status.details.keys.contains("person_id") == true)
    let twice = #expect(throws: Failure.self) { try fixture.write { try $0.records.create(ann, now: 1) } }
    #expect(twice?.reason == "RECORD_EXISTS")
  }

  /// A record of a kind with a value in every field that clients write.
  private static func sample(_ kind: RecordKind, of ann: Person, and bob: Person) throws -> AnyRecord {
    func fill<R: SyncedRecord>(_ type: R.Type) throws -> AnyRecord {
      let fields = """
        {"firstName":"F","middleName":"M","lastName":"L","nickname":"N","gender":"Woman","birthday":"--02-29","job":"J",
        "company":"C","foodPreferences":"X","howMet":"H","tags":["a","b"],"birthdayReminder":true,"type":"email","data":"a@b.c",
        "labels":["home"],"name":"Name","street":"S","city":"T","country":"DE","body":"text","isFavorite":true,"title":"Title",
        "description":"D","summary":"Sum","happenedOn":"2024-02-29","status":"idea","amount":"12.00","date":"2024-01-01",
        "reverseType":"child","initialDate":"2024-01-01","frequency":"year","every":2,"calledAt":"2024-01-01T10:00:00Z",
        "durationMinutes":7,"emotion":"sad","note":"a note","theyCalled":true,"channel":"email",
        "happenedAt":"2024-01-01T10:00:00Z","messages":[{"id":"m","content":"hi","writtenByMe":true}]}
        """
      var options = JSONDecodingOptions()
      options.ignoreUnknownFields = true
      var record = try R(jsonString: fields, options: options)
      if kind.needsPerson || kind == .task { record.personID = ann.id }
      return record.any
    }
    switch try fill(kind.type) {
    case .activity(var activity):
      activity.participants = [ann.id, bob.id]
      return activity.any
    case .relationship(var relationship):
      relationship.otherID = bob.id
      return relationship.any
    case .tag(var tag):
      tag.name = "a tag"
      return tag.any
    case let other: return other
    }
  }
}
