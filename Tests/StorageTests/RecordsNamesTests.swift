import Bus
import KithMessages
import Testing

@testable import Storage

/// Of records that others find by their name on the server, one is created at a time.
@Suite struct RecordsNamesTests {
  private let fixture: ContactsFixture

  init() throws { self.fixture = try ContactsFixture() }

  private func begin(now: Int64 = 100) throws -> [OutboxEntry] {
    let due = try self.fixture.read { try $0.outbox.due(now: now, limit: 10) }
    return try self.fixture.write { try $0.outbox.begin(due.map(\.row), now: now) }
  }

  private func arrive(_ entry: OutboxEntry, as id: UInt64) throws {
    var record = entry.record
    record.monicaID = id
    try self.fixture.write { try $0.outbox.arrived(entry.row, server: record, now: 100) }
  }

  private func talk(_ person: Person, _ channel: String) throws {
    var conversation = Conversation()
    conversation.personID = person.id
    conversation.channel = channel
    _ = try self.fixture.write { try $0.records.create(conversation, now: 1) }
  }

  @Test func `a person waits for the tags it names`() throws {
    let ann = try self.fixture.addPerson("Ann") { $0.tags = ["New"] }
    var tag = Tag()
    tag.name = "new"
    _ = try self.fixture.write { [tag] in try $0.records.create(tag, now: 2) }
    // The person was queued first.
    let first = try self.begin()
    #expect(first.map(\.kind) == [.tag])
    #expect(try self.begin().isEmpty)
    try self.arrive(first[0], as: 5)
    #expect(try self.begin().map(\.id) == [ann.id])
  }

  @Test func `a tag that the server refuses holds nobody up`() throws {
    let ann = try self.fixture.addPerson("Ann") { $0.tags = ["new"] }
    var tag = Tag()
    tag.name = "new"
    _ = try self.fixture.write { [tag] in try $0.records.create(tag, now: 2) }
    let sent = try self.begin()
    try self.fixture.write {
      try $0.outbox.failed(sent[0].row, error: Status(), nextAttemptAt: nil, isUnsure: false, now: 100)
    }
    #expect(try self.begin().map(\.id) == [ann.id])
  }

  @Test func `a tag is renamed after the people of whom nobody knows whether they arrived with its old name`() throws {
    var tag = Tag()
    tag.name = "old"
    let made = try self.fixture.write { [tag] in try $0.records.create(tag, now: 1) }
    try self.arrive(try self.begin()[0], as: 5)
    let ann = try self.fixture.addPerson("Ann") { $0.tags = ["old"] }
    let sent = try self.begin()
    func rename(from old: String, to name: String) throws {
      try self.fixture.write {
        var renamed = try $0.records.require(Tag.self, made.id)
        renamed.name = name
        try $0.records.retag(old, as: name, now: 100)
        _ = try $0.records.update(renamed, now: 100)
      }
    }
    try rename(from: "old", to: "new")
    #expect(try self.begin().isEmpty, "Ann is under way")
    try self.fixture.write {
      try $0.outbox.failed(sent[0].row, error: Status(), nextAttemptAt: 100, isUnsure: true, now: 100)
    }
    let again = try #require(try self.begin().first)
    #expect(again.id == ann.id && again.record.person.tags == ["old"])
    try self.arrive(again, as: 6)
    let next = try #require(try self.begin().first)
    #expect(next.kind == .tag)
    try self.arrive(next, as: 5)
    let last = try self.begin()
    #expect(last.map(\.id) == [ann.id] && last.first?.record.person.tags == ["new"])
  }

  @Test func `a person that waits for a user holds up no renamed tag`() throws {
    var tag = Tag()
    tag.name = "old"
    let made = try self.fixture.write { [tag] in try $0.records.create(tag, now: 1) }
    try self.arrive(try self.begin()[0], as: 5)
    try self.fixture.addPerson("Ann") { $0.tags = ["old"] }
    let sent = try self.begin()
    // Like a restored store: an attempt repeated after a restore may have arrived before.
    try self.fixture.write {
      try $0.outbox.failed(sent[0].row, error: Status(), nextAttemptAt: nil, isUnsure: true, now: 100)
      var renamed = try $0.records.require(Tag.self, made.id)
      renamed.name = "new"
      try $0.records.retag("old", as: "new", now: 100)
      _ = try $0.records.update(renamed, now: 100)
    }
    #expect(try self.begin().map(\.kind) == [.tag])
  }

  @Test func `of a channel one conversation is under way`() throws {
    let ann = try self.fixture.addPerson("Ann")
    try self.arrive(try self.begin()[0], as: 1)
    for channel in ["text", "Text", "email", "text"] { try self.talk(ann, channel) }
    let first = try self.begin()
    #expect(first.map(\.record.conversation.channel) == ["text", "email"])
    #expect(try self.begin().isEmpty)
    // Its reply is lost, and the server may still run it until 200.
    try self.fixture.write {
      try $0.outbox.failed(first[0].row, error: Status(), nextAttemptAt: 100, isUnsure: true, busyUntil: 200, now: 100)
    }
    #expect(try self.begin(now: 150).isEmpty)
    #expect(try self.begin(now: 200).map(\.row) == [first[0].row])
    try self.arrive(first[0], as: 7)
    #expect(try self.begin(now: 201).count == 1)
  }

  @Test func `of two that a killed process left the first one goes`() throws {
    let ann = try self.fixture.addPerson("Ann")
    try self.arrive(try self.begin()[0], as: 1)
    for channel in ["text", "email"] { try self.talk(ann, channel) }
    let first = try self.begin()
    #expect(first.count == 2)
    try self.fixture.write { try $0.outbox.settleInterrupted(busyUntil: 105) }
    // A person moves the second to the channel of the first.
    try self.fixture.write {
      var second = try $0.records.require(Conversation.self, first[1].id)
      second.channel = "text"
      _ = try $0.records.update(second, now: 104)
    }
    #expect(try self.begin(now: 106).map(\.row) == [first[0].row])
    #expect(try self.begin(now: 107).isEmpty)
    try self.arrive(first[0], as: 7)
    #expect(try self.begin(now: 108).map(\.row) == [first[1].row])
  }

  @Test func `one that a killed process left holds the others up until it is settled`() throws {
    let ann = try self.fixture.addPerson("Ann")
    try self.arrive(try self.begin()[0], as: 1)
    for _ in 0..<2 { try self.talk(ann, "text") }
    let first = try self.begin()
    #expect(first.count == 1)
    try self.fixture.write { try $0.outbox.settleInterrupted(busyUntil: 105) }
    #expect(try self.begin(now: 104).isEmpty)
    #expect(try self.begin(now: 105).map(\.row) == first.map(\.row))
  }
}
