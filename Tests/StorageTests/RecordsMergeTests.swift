import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite struct RecordsMergeTests {
  @Test func aPageBringsPeopleWithWhatIsTheirs() throws {
    let fixture = try ContactsFixture()
    var call = Call()
    call.note = "hello"
    var ann = RemoteRecord(Person(first: "Ann").any, id: 1)
    ann.children = [RemoteRecord(Self.field("a@b.c").any, id: 5, owner: 1)]
    // The call precedes its person.
    let page = [RemoteRecord(call.any, id: 7, owner: 1), ann]
    let report = try fixture.write { try $0.records.merge(page, now: 10) { _, _ in .take } }
    #expect(report.added == 3)
    let person = try #require(try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.first)
    #expect(person.monicaID == 1 && person.syncState == "synced")
    #expect(try fixture.read { try $0.records.all(Call.self, ofPerson: person.id) }.map(\.note) == ["hello"])
    #expect(try fixture.read { try $0.records.all(ContactField.self, ofPerson: person.id) }.map(\.data) == ["a@b.c"])
    #expect(try fixture.queued().isEmpty)
    let again = try fixture.write { try $0.records.merge(page, now: 11) { _, _ in .take } }
    #expect(again.unchanged == 3)
    #expect(try fixture.read { try $0.records.serverIDs(.call) }.contains(7))
  }

  @Test func whatNamesUnknownPeopleWaitsForThem() throws {
    let fixture = try ContactsFixture()
    var activity = Activity()
    activity.summary = "a walk"
    let walk = RemoteRecord(activity.any, id: 3, owner: 1, others: [1, 2])
    let first = try fixture.write {
      try $0.records.merge([walk, RemoteRecord(Person(first: "Ann").any, id: 1)], now: 1) { _, _ in .take }
    }
    #expect(first.added == 1 && first.postponed == [walk] && first.missingPeople == [2])
    let second = try fixture.write {
      try $0.records.merge([RemoteRecord(Person(first: "Bob").any, id: 2)] + first.postponed, now: 1) { _, _ in .take }
    }
    #expect(second.added == 2 && second.postponed.isEmpty)
    let stored = try #require(try fixture.read { try $0.records.page(Activity.self, RecordQuery()) }.records.first)
    let people = try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records
    #expect(stored.participants == people.map(\.id))
    // A record without any of its people is not kept.
    var orphan = walk
    (orphan.monicaID, orphan.owner, orphan.others) = (9, 0, [])
    let third = try fixture.write { [orphan] in try $0.records.merge([orphan], now: 1) { _, _ in .take } }
    #expect(third.unchanged == 1 && third.added == 0)
  }

  @Test func theDecisionSeesBothSidesAndTheirAncestor() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    var note = try fixture.write { try $0.records.create(Note(of: ann, "base"), now: 1) }
    try fixture.push()
    note = try fixture.read { try $0.records.require(Note.self, note.id) }
    note.body = "ours"
    _ = try fixture.write { [note] in try $0.records.update(note, now: 200) }
    var theirs = Note()
    theirs.body = "theirs"
    let remote = RemoteRecord(theirs.any, id: note.monicaID, owner: 1, at: 2_000_000_000)
    func merge(_ decision: @escaping (AnyRecord) -> MergeDecision) throws -> MergeReport {
      try fixture.write { transaction in
        try transaction.records.merge([remote], now: 300) { local, server in
          #expect(local?.base.flatMap { Note($0) }?.body == "base")
          #expect(local?.record.record.id == note.id)
          #expect(local?.operation == .update && local?.state == .pending || local?.state == .conflict)
          #expect(Note(server)?.personID == ann.id)
          return decision(server)
        }
      }
    }
    #expect(try merge { _ in .ignore }.unchanged == 1)
    #expect(try merge { .conflict(server: $0) }.conflicts == 1)
    #expect(try fixture.queued() == ["update note conflict"])
    let conflict = try #require(try fixture.read { try $0.outbox.conflicts() }.conflicts.first)
    let sides: [AnyRecord?] = [conflict.local, conflict.base, conflict.server]
    #expect(sides.map { side in side.flatMap { Note($0)?.body } } == ["ours", "base", "theirs"])
    #expect(conflict.personName == "Ann")
    var both = Note()
    both.body = "ours and theirs"
    let merged = try merge { [both] server in .merged(both.any, base: server) }
    #expect(merged.updated == 1)
    #expect(try fixture.queued() == ["update note pending"])
    try fixture.push(now: 400)
    #expect(try fixture.read { try $0.records.require(Note.self, note.id) }.body == "ours and theirs")
    #expect(try fixture.queued().isEmpty)
  }

  @Test func whatTheServerDoesNotKeepStays() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann") { $0.middleName = "Mia" }
    let call = try fixture.addCall(ann, at: 1) {
      $0.attachments = [BlobRef.with { $0.sha256 = String(repeating: "ab", count: 32) }]
    }
    try fixture.push()
    var theirs = Call()
    theirs.note = "longer"
    let page = [
      RemoteRecord(theirs.any, id: 2, owner: 1), RemoteRecord(Person(first: "Anna").any, id: 1, at: 5_000_000_000),
    ]
    _ = try fixture.write { try $0.records.merge(page, now: 1) { _, _ in .take } }
    let merged = try fixture.read { try $0.records.require(Call.self, call.id) }
    #expect(merged.note == "longer" && merged.attachments == call.attachments)
    #expect(merged.personName == "Anna Mia")
    #expect(try fixture.queued().isEmpty)
    // Attachments are not sent to the server.
    var more = merged
    more.attachments = []
    _ = try fixture.write { [more] in try $0.records.update(more, now: 2) }
    #expect(try fixture.queued().isEmpty)
  }

  @Test func aLostAnswerIsFoundByOurId() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    let row = try fixture.write { transaction in
      try transaction.outbox.begin(try transaction.outbox.due(now: 10, limit: 1).map(\.row), now: 10)[0].row
    }
    try fixture.write { try $0.outbox.failed(row, error: Status(), nextAttemptAt: 50, isUnsure: true, now: 11) }
    var listed = RemoteRecord(Person(first: "Ann").any, id: 8)
    listed.clientID = ann.id
    let report = try fixture.write { [listed] in try $0.records.merge([listed], now: 20) { _, _ in .take } }
    #expect(report.added == 0)
    let merged = try fixture.read { try $0.records.require(Person.self, ann.id) }
    #expect(merged.monicaID == 8 && merged.syncState == "synced")
  }

  /// The server does not store our id of notes: a pull brings the note as new before the reply to its own push.
  @Test func aLostAnswerThatWasPulledMeanwhileIsNotKeptTwice() throws {
    let fixture = try ContactsFixture()
    var (ann, twin) = (try fixture.addPerson("Ann"), Person())
    let due = try fixture.read { try $0.outbox.due(now: 10, limit: 1) }
    let sent = try fixture.write { try $0.outbox.begin(due.map(\.row), now: 10) }
    _ = try fixture.write {
      try $0.records.merge([RemoteRecord(Person(first: "Ann").any, id: 8)], now: 20) { _, _ in .take }
    }
    twin = try #require(
      try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.first { $0.id != ann.id })
    let call = try fixture.addCall(twin, at: 1)
    var walk = Activity()
    walk.participants = [twin.id]
    let activity = try fixture.write { [walk] in try $0.records.create(walk, now: 1) }
    try fixture.write { try $0.outbox.arrived(sent[0].row, server: sent[0].record.stored(as: 8, at: 30), now: 30) }
    ann = try fixture.read { try $0.records.require(Person.self, ann.id) }
    #expect(ann.monicaID == 8)
    #expect(try fixture.read { try $0.records.get(Person.self, twin.id) } == nil)
    #expect(try fixture.read { try $0.records.require(Call.self, call.id) }.personID == ann.id)
    #expect(try fixture.read { try $0.records.require(Activity.self, activity.id) }.participants == [ann.id])
    #expect(try fixture.read { try $0.records.searchPeople("ann") }.people.map(\.id) == [ann.id])
  }

  @Test func childrenThatAreMissingAreDeleted() throws {
    let fixture = try ContactsFixture()
    var ann = RemoteRecord(Person(first: "Ann").any, id: 1)
    ann.children = [
      RemoteRecord(Self.field("a@b.c").any, id: 5, owner: 1), RemoteRecord(Self.field("d@e.f").any, id: 6, owner: 1),
    ]
    ann.hasChildren_p = true
    _ = try fixture.write { [ann] in try $0.records.merge([ann], now: 1) { _, _ in .take } }
    let id = try #require(try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records.first?.id)
    // A record that waits to be sent does not belong to the server's list.
    var own = Self.field("own@b.c")
    own.personID = id
    _ = try fixture.write { [own] in try $0.records.create(own, now: 2) }
    ann.children.removeFirst()
    let report = try fixture.write { [ann] in try $0.records.merge([ann], now: 3) { _, _ in .take } }
    #expect(report.missing.map(\.monicaID) == [5])
    #expect(try fixture.write { try $0.records.settle(missing: report.missing, now: 3) } == (1, 0))
    #expect(
      try fixture.read { try $0.records.all(ContactField.self, ofPerson: id) }.map(\.data).sorted() == [
        "d@e.f", "own@b.c",
      ])
    #expect(try fixture.read { try $0.records.serverIDs(.contactField) } == [6])
  }

  @Test func bothSidesOfARelationshipAreOne() throws {
    let fixture = try ContactsFixture()
    func relationship(_ type: String, reverse: String) -> AnyRecord {
      var relationship = Relationship()
      relationship.type = type
      relationship.reverseType = reverse
      return relationship.any
    }
    var ann = RemoteRecord(Person(first: "Ann").any, id: 1)
    var bob = RemoteRecord(Person(first: "Bob").any, id: 2)
    ann.children = [
      RemoteRecord(relationship("parent", reverse: "child"), id: 10, owner: 1, others: [2]),
      RemoteRecord(relationship("boss", reverse: "subordinate"), id: 12, owner: 1, others: [2]),
    ]
    bob.children = [
      RemoteRecord(relationship("child", reverse: "parent"), id: 11, owner: 2, others: [1]),
      RemoteRecord(relationship("subordinate", reverse: "boss"), id: 13, owner: 2, others: [1]),
    ]
    (ann.hasChildren_p, bob.hasChildren_p) = (true, true)
    for _ in 0..<2 {
      _ = try fixture.write { [ann, bob] in try $0.records.merge([bob, ann], now: 1) { _, _ in .take } }
      let people = try fixture.read { try $0.records.page(Person.self, RecordQuery()) }.records
      #expect(
        try fixture.read { try $0.records.all(Relationship.self, ofPerson: people[0].id) }.map(\.type).sorted()
          == ["boss", "parent"])
      #expect(
        try fixture.read { try $0.records.all(Relationship.self, ofPerson: people[1].id) }.map(\.type).sorted()
          == ["child", "subordinate"])
    }
  }

  private func relationship(
    _ type: String, reverse: String, id: UInt64, of owner: UInt64, to other: UInt64
  ) -> RemoteRecord {
    var record = Relationship()
    (record.type, record.reverseType) = (type, reverse)
    return RemoteRecord(record.any, id: id, owner: owner, others: [other])
  }

  @Test func aRelationshipOfOtherPeopleUnderItsIdIsAnotherOne() throws {
    let fixture = try ContactsFixture()
    let people = ["Ann", "Bob", "Cleo"].enumerated().map { number, name in
      RemoteRecord(Person(first: name).any, id: UInt64(number + 1))
    }
    for other in [UInt64(2), 3] {
      let friend = self.relationship("friend", reverse: "friend", id: 10, of: 1, to: other)
      _ = try fixture.write { try $0.records.merge(people + [friend], now: 1) { _, _ in .take } }
    }
    // The server has lost the one of Bob, of which a person decides.
    #expect(try fixture.read { try $0.records.page(Relationship.self, RecordQuery()) }.records.count == 2)
    #expect(try fixture.read { try $0.outbox.conflicts() }.conflicts.map(\.kind) == [.relationship])
  }

  @Test func anEditThatWaitsMakesNoSecondRelationshipOfTheOtherSide() throws {
    let fixture = try ContactsFixture()
    func merge(_ records: [RemoteRecord]) throws {
      _ = try fixture.write { [records] in try $0.records.merge(records, now: 1) { _, _ in .take } }
    }
    func all() throws -> [Relationship] {
      try fixture.read { try $0.records.page(Relationship.self, RecordQuery()).records }
    }
    try merge([
      RemoteRecord(Person(first: "Ann").any, id: 1), RemoteRecord(Person(first: "Bob").any, id: 2),
      self.relationship("parent", reverse: "child", id: 10, of: 1, to: 2),
    ])
    var edited = try #require(try all().first)
    edited.type = "friend"
    _ = try fixture.write { [edited] in try $0.records.update(edited, now: 2) }
    try merge([self.relationship("child", reverse: "parent", id: 11, of: 2, to: 1)])
    #expect(try all().map(\.type) == ["friend"])
  }

  @Test func whatTheServerDeletedGoesUnlessItWasChangedHere() throws {
    let fixture = try ContactsFixture()
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    let call = try fixture.addCall(ann, at: 1)
    try fixture.push()
    let ids = try fixture.read { view in try [ann, bob].map { try view.records.require(Person.self, $0.id).monicaID } }
    let note = try fixture.write { try $0.records.create(Note(of: bob, "new"), now: 150) }
    let outcome = try fixture.write { try $0.settle(missing: ids + [999], of: .person, now: 200) }
    #expect(outcome == (1, 1))
    #expect(try fixture.read { try $0.records.require(Person.self, ann.id) }.hasDeletedAt)
    #expect(try fixture.read { try $0.records.require(Call.self, call.id) }.hasDeletedAt)
    #expect(try fixture.queued().sorted() == ["create note pending", "update person conflict"])
    // Kept after all: everything is created again.
    let conflict = try fixture.read { try $0.outbox.conflict(of: bob.id) }
    #expect(conflict.server == nil)
    _ = try fixture.write { try $0.outbox.resolve(bob.id, as: conflict.local, now: 210) }
    #expect(try fixture.queued().sorted() == ["create note pending", "create person pending"])
    // What the server deleted is created again when it is restored here.
    _ = try fixture.write { try $0.records.restore(Person.self, ann.id, now: 220) }
    #expect(
      try fixture.queued().sorted()
        == ["create call pending", "create note pending", "create person pending", "create person pending"])
    try fixture.push(now: 300, next: 50)
    #expect(try fixture.queued().isEmpty)
    #expect(try fixture.read { try $0.records.require(Note.self, note.id) }.syncState == "synced")
  }

  @Test(arguments: ["local", "server", "deletion"]) func aConflictIsSettledByWhatIsChosen(choice: String) throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    var note = try fixture.write { try $0.records.create(Note(of: ann, "base"), now: 1) }
    try fixture.push()
    note.body = "ours"
    note = try fixture.write { [note] in try $0.records.update(note, now: 110) }
    var theirs = Note()
    theirs.body = "theirs"
    let remote = RemoteRecord(theirs.any, id: note.monicaID, owner: 1)
    _ = try fixture.write { try $0.records.merge([remote], now: 120) { _, server in .conflict(server: server) } }
    #expect(try fixture.read { try $0.outbox.counts() }.conflicts == 1)
    let conflict = try fixture.read { try $0.outbox.conflict(of: note.id) }
    let body = ["local": conflict.local, "server": conflict.server][choice] ?? nil
    let entries = try fixture.write { try $0.outbox.resolve(note.id, as: body, now: 130) }
    let stored = try fixture.read { try $0.records.require(Note.self, note.id) }
    #expect(entries.map(\.state) == [choice == "server" ? "synced" : "pending"])
    #expect(stored.body == ["local": "ours", "server": "theirs", "deletion": "ours"][choice])
    #expect(stored.hasDeletedAt == (choice == "deletion"))
    let again = #expect(throws: Failure.self) { try fixture.write { try $0.outbox.resolve(note.id, as: nil, now: 1) } }
    #expect(again?.reason == "RECORD_UNKNOWN")
    if choice == "local" {
      #expect(try fixture.read { try $0.outbox.due(now: 200, limit: 1) }.first?.base?.note.body == "theirs")
    }
  }

  private static func field(_ data: String) -> ContactField {
    var field = ContactField()
    field.type = "email"
    field.data = data
    return field
  }
}
