import Bus
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Storage

@Suite struct RecordsListTests {
  /// Compares lists of calls, with every combination of filters, with a filter over all calls.
  @Test(arguments: [1, 7, 500] as [UInt32]) func pagesHaveWhatWasAskedForOnceAndNewestFirst(limit: UInt32) throws {
    let fixture = try ContactsFixture()
    var random = SeededGenerator(seed: 3)
    let people = try ["Ann", "Bob", "Cem"].map { try fixture.addPerson($0) }
    var calls: [Call] = []
    for index in 0..<120 {
      let person = try #require(people.randomElement(using: &random))
      // Few moments, so that several calls share one.
      var call = try fixture.addCall(person, at: Int64.random(in: 0..<40, using: &random)) { call in
        call.emotion = ["", "happy", "sad"].randomElement(using: &random) ?? ""
        call.tags = [[], ["Work"], ["work", "Família"]].randomElement(using: &random) ?? []
      }
      if index.isMultiple(of: 9) { call = try fixture.write { try $0.records.delete(Call.self, call.id, now: 50) } }
      calls.append(call)
    }
    try fixture.push(now: 60)
    for call in calls.filter({ !$0.hasDeletedAt }).prefix(20) {
      var call = call
      call.note = "changed"
      _ = try fixture.write { try $0.records.update(call, now: 70) }
    }
    calls = try fixture.read { view in try calls.map { try view.records.require(Call.self, $0.id) } }
    for number in 0..<96 {
      func bit(_ index: Int) -> Bool { number >> index & 1 == 1 }
      let query = RecordQuery(
        limit: limit, person: bit(0) ? people[1].id : nil, from: bit(1) ? 10 : nil, to: bit(1) ? 30 : nil,
        emotion: bit(2) ? "sad" : nil, tag: bit(3) ? "FAMILIA" : nil, syncState: bit(4) ? .pending : nil,
        includesDeleted: bit(5) || number >= 64)
      let wanted = calls.filter { call in
        (query.person == nil || call.personID == query.person)
          && (query.from == nil || (10..<30).contains(call.calledAt.nanosecondsSince1970))
          && (query.emotion == nil || call.emotion == "sad") && (query.tag == nil || call.tags.contains("Família"))
          && (query.syncState == nil || call.syncState == "pending") && (query.includesDeleted || !call.hasDeletedAt)
      }
      let found = try Self.all(Call.self, query, fixture)
      #expect(found.count == wanted.count, "\(query)")
      #expect(Set(found.map(\.id)) == Set(wanted.map(\.id)))
      #expect(found.map(\.calledAt.nanosecondsSince1970) == found.map(\.calledAt.nanosecondsSince1970).sorted(by: >))
    }
  }

  @Test func tasksThatAreOpenComeFirst() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    for index in 0..<9 {
      var task = TaskItem()
      task.title = "\(index)"
      task.isCompleted = index.isMultiple(of: 3)
      if index.isMultiple(of: 2) { task.personID = ann.id }
      _ = try fixture.write { [task] in try $0.records.create(task, now: Int64(index)) }
    }
    for limit in [1, 4, 500] as [UInt32] {
      let all = try Self.all(TaskItem.self, RecordQuery(limit: limit), fixture)
      #expect(all.map(\.title) == ["8", "7", "5", "4", "2", "1", "6", "3", "0"])
      let hers = try Self.all(TaskItem.self, RecordQuery(limit: limit, person: ann.id), fixture)
      #expect(hers.map(\.title) == ["8", "4", "2", "6", "0"])
    }
    var task = try #require(try Self.all(TaskItem.self, RecordQuery(limit: 1), fixture).first)
    task.isCompleted = true
    let done = try fixture.write { [task] in try $0.records.update(task, now: 90) }
    #expect(done.completedAt == .init(nanosecondsSince1970: 90))
    #expect(try Self.all(TaskItem.self, RecordQuery(), fixture).map(\.title).prefix(3) == ["7", "5", "4"])
  }

  @Test func peopleComeByTheirNames() throws {
    let fixture = try ContactsFixture()
    let order = [
      ("Zoe", "Ångström"), ("Jan", "de Vries"), ("Ann", "LEE"), ("Anna", "Lee"), ("Al", "Leeds"), ("Mia", ""),
      ("ひろ", "やまだ"),
    ]
    for (first, last) in order.reversed() {
      try fixture.addPerson(first, last) { $0.tags = first.hasPrefix("A") ? ["Chess"] : [] }
    }
    for limit in [1, 2, 500] as [UInt32] {
      let all = try Self.all(Person.self, RecordQuery(limit: limit), fixture)
      #expect(all.map(\.firstName) == order.map(\.0))
      #expect(
        try Self.all(Person.self, RecordQuery(limit: limit, tag: "chess"), fixture).map(\.firstName)
          == ["Ann", "Anna", "Al"])
    }
  }

  @Test func archivedAndPartialPeopleAreShownWhenAskedFor() throws {
    let fixture = try ContactsFixture()
    let server = [("A", false, false), ("B", true, false), ("C", false, true), ("D", true, true)].enumerated().map {
      index, entry in
      var person = Person(first: entry.0)
      person.isArchived = entry.1
      person.isPartial = entry.2
      return RemoteRecord(person.any, id: UInt64(index + 1))
    }
    _ = try fixture.write { try $0.records.merge(server, now: 1) { _, _ in .take } }
    func names(_ query: RecordQuery) throws -> [String] { try Self.all(Person.self, query, fixture).map(\.firstName) }
    #expect(try names(RecordQuery()) == ["A"])
    #expect(try names(RecordQuery(includesArchived: true)) == ["A", "B"])
    #expect(try names(RecordQuery(includesPartial: true)) == ["A", "C"])
    #expect(try names(RecordQuery(includesArchived: true, includesPartial: true)) == ["A", "B", "C", "D"])
  }

  @Test func conversationsGoByChannelAndTimelinesByTime() throws {
    let fixture = try ContactsFixture()
    let (ann, bob) = (try fixture.addPerson("Ann"), try fixture.addPerson("Bob"))
    for index in 0..<6 {
      var conversation = Conversation()
      conversation.personID = ann.id
      conversation.channel = index.isMultiple(of: 2) ? "E-Mail" : "text"
      conversation.happenedAt = .init(nanosecondsSince1970: Int64(10 * index))
      _ = try fixture.write { [conversation] in try $0.records.create(conversation, now: 1) }
      try fixture.addCall(index < 4 ? ann : bob, at: Int64(10 * index + 5))
    }
    let mails = try Self.all(Conversation.self, RecordQuery(limit: 2, person: ann.id, channel: "e-mail"), fixture)
    #expect(mails.map(\.happenedAt.nanos) == [40, 20, 0])
    #expect(try Self.all(Conversation.self, RecordQuery(channel: "TEXT"), fixture).count == 3)
    var (kinds, cursor) = ([RecordKind](), "")
    repeat {
      let page = try fixture.read {
        try $0.records.timeline(
          of: [.call, .conversation, .note, .person], RecordQuery(limit: 3, cursor: cursor, person: ann.id))
      }
      kinds += page.records.map(\.kind)
      cursor = page.nextCursor
    } while !cursor.isEmpty
    #expect(
      kinds == [
        .conversation, .conversation, .call, .conversation, .call, .conversation, .call, .conversation, .call,
        .conversation,
      ])
  }

  @Test func aRunningCallIsFoundAndWaits() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    try fixture.push(now: 1)
    var call = try fixture.addCall(ann, at: 5) { $0.isRunning = true }
    try fixture.addCall(ann, at: 6)
    #expect(try Self.all(Call.self, RecordQuery(isRunning: true), fixture).map(\.id) == [call.id])
    #expect(try fixture.read { try $0.outbox.due(now: 100, limit: 10) }.count == 1)
    _ = try fixture.write { try $0.outbox.retry([], now: 7) }
    #expect(try fixture.read { try $0.outbox.due(now: 100, limit: 10) }.count == 1)
    call.isRunning = false
    _ = try fixture.write { [call] in try $0.records.update(call, now: 9) }
    #expect(try fixture.read { try $0.outbox.due(now: 100, limit: 10) }.count == 2)
    #expect(try Self.all(Call.self, RecordQuery(isRunning: true), fixture).isEmpty)
  }

  @Test func aPageEndsBeforeItGrowsTooLarge() throws {
    let fixture = try ContactsFixture()
    let ann = try fixture.addPerson("Ann")
    for index in 0..<5 {
      let note = Note(of: ann, String(repeating: "long note ", count: index == 2 ? 30_000 : 3_000))
      _ = try fixture.write { try $0.records.create(note, now: Int64(index)) }
    }
    let page = try fixture.read { try $0.records.page(Note.self, RecordQuery()) }
    // The record that is too large for any reply is cut.
    #expect(page.records.count == 3)
    #expect(try Self.all(Note.self, RecordQuery(), fixture).count == 5)
  }

  @Test(arguments: ["x", "AAAAAAAAAAA", "AAAAAAAAAAAxOng", "...."])
  func aCursorThatIsNoneIsRefused(cursor: String) throws {
    let fixture = try ContactsFixture()
    let failure = #expect(throws: Failure.self) {
      try fixture.read { try $0.records.page(Call.self, RecordQuery(cursor: cursor)) }
    }
    #expect(failure?.status.details.keys.contains("cursor") == true)
  }

  @Test func feelingsAreChecked() throws {
    let fixture = try ContactsFixture()
    let query = RecordQuery(emotion: "angry")
    let failure = #expect(throws: Failure.self) { try fixture.read { try $0.records.page(Call.self, query) } }
    #expect(failure?.status.details.keys.contains("emotion") == true)
  }

  @Test func factsOfCallsAreThoseOfTheCalls() throws {
    let fixture = try ContactsFixture()
    let people = try ["Ann", "Bob"].map { try fixture.addPerson($0) }
    for index in 0..<20 {
      try fixture.addCall(people[index % 2], at: Int64(index)) { call in
        call.durationMinutes = UInt32(index)
        call.emotion = index.isMultiple(of: 3) ? "excited" : ""
        call.theyCalled = index.isMultiple(of: 5)
        call.tags = index.isMultiple(of: 4) ? ["a"] : []
      }
    }
    for query in [
      RecordQuery(), RecordQuery(person: people[0].id), RecordQuery(from: 3, to: 9), RecordQuery(emotion: "excited"),
      RecordQuery(tag: "A"), RecordQuery(person: people[1].id, from: 5, emotion: "excited"),
      RecordQuery(syncState: .pending), RecordQuery(syncState: .synced),
    ] {
      var facts: [CallFact] = []
      try fixture.read { try $0.records.callFacts(query) { facts.append($0) } }
      let names = try fixture.read { try $0.records.people(Set(facts.map(\.person))) }
      let calls = try Self.all(Call.self, query, fixture)
      #expect(facts.map(\.calledAt) == calls.map(\.calledAt.nanosecondsSince1970))
      #expect(facts.map(\.minutes) == calls.map { Int($0.durationMinutes) })
      #expect(facts.map(\.emotion) == calls.map(\.emotion))
      #expect(facts.map(\.theyCalled) == calls.map(\.theyCalled))
      #expect(facts.map { names[$0.person]?.id } == calls.map(\.personID))
      #expect(facts.map { names[$0.person]?.name } == calls.map(\.personName))
    }
  }

  private static func all<R: SyncedRecord>(
    _ type: R.Type, _ query: RecordQuery, _ fixture: ContactsFixture
  ) throws -> [R] {
    var (records, query): ([R], RecordQuery) = ([], query)
    repeat {
      let page = try fixture.read { [query] in try $0.records.page(type, query) }
      #expect(page.records.count <= (query.limit == 0 ? 50 : query.limit))
      records += page.records
      query.cursor = page.nextCursor
    } while !query.cursor.isEmpty
    return records
  }
}
