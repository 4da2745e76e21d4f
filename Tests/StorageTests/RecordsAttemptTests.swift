import Bus
import KithMessages
import Testing

@testable import Storage

/// An attempt keeps its name until its outcome is stored; the next attempt has another.
@Suite struct RecordsAttemptTests {
  private let fixture: ContactsFixture

  init() throws { self.fixture = try ContactsFixture() }

  private func begin(now: Int64) throws -> OutboxEntry {
    let due = try self.fixture.read { try $0.outbox.due(now: now, limit: 10) }
    return try #require(try self.fixture.write { try $0.outbox.begin(due.map(\.row), now: now) }.first)
  }

  private func fail(_ entry: OutboxEntry, isOpen: Bool) throws {
    try self.fixture.write {
      try $0.outbox.failed(
        entry.row, error: Failure.cancelled.status, nextAttemptAt: 1, isUnsure: true, isOpen: isOpen, now: 3)
    }
  }

  private func crash() throws { try self.fixture.write { try $0.outbox.settleInterrupted(busyUntil: 0) } }

  @Test func aCrashLeavesTheAttemptAsItWas() throws {
    try self.fixture.addPerson("Ann")
    let first = try self.begin(now: 2)
    #expect(first.attempt != nil && !first.isUnsure)
    try self.crash()
    let second = try self.begin(now: 3)
    #expect(second.attempt == first.attempt && second.isUnsure)
    // The hub stops in order while a worker goes on.
    try self.fail(second, isOpen: true)
    let third = try self.begin(now: 4)
    #expect(third.attempt == first.attempt && third.isUnsure)
  }

  @Test func whatFailedIsAnotherAttemptTheNextTime() throws {
    try self.fixture.addPerson("Ann")
    let first = try self.begin(now: 2)
    try self.fail(first, isOpen: false)
    let second = try self.begin(now: 4)
    #expect(second.attempt != nil && second.attempt != first.attempt && second.isUnsure)
  }

  @Test func anEditMeanwhileDoesNotChangeWhatTheAttemptIs() throws {
    let ann = try self.fixture.addPerson("Ann")
    let first = try self.begin(now: 2)
    try self.crash()
    try self.fixture.write { _ = try $0.records.delete(Person.self, ann.id, now: 3) }
    let second = try self.begin(now: 4)
    #expect(second.attempt == first.attempt && second.operation == .create)
    try self.fixture.write { try $0.outbox.arrived(second.row, server: second.record.stored(as: 7, at: 5), now: 5) }
    let third = try self.begin(now: 6)
    #expect(third.operation == .delete && third.record.monicaID == 7 && !third.isUnsure)
    #expect(third.attempt != first.attempt)
  }

  @Test func aRefusalOfTheCreationDoesNotKeepWhatWasDeletedMeanwhile() throws {
    let ann = try self.fixture.addPerson("Ann")
    _ = try self.begin(now: 2)
    try self.crash()
    try self.fixture.write { _ = try $0.records.delete(Person.self, ann.id, now: 3) }
    let second = try self.begin(now: 4)
    #expect(second.operation == .create)
    // An earlier attempt may have arrived all the same, so the server is asked.
    try self.fixture.write {
      try $0.outbox.failed(
        second.row, error: Failure.cancelled.status, nextAttemptAt: nil, isUnsure: true, now: 5)
    }
    let third = try self.begin(now: 6)
    #expect(third.operation == .delete && third.isUnsure)
    // What is refused itself waits for a person.
    try self.fixture.write {
      try $0.outbox.failed(third.row, error: Failure.cancelled.status, nextAttemptAt: nil, isUnsure: true, now: 7)
    }
    #expect(try self.fixture.read { try $0.outbox.due(now: 9, limit: 10) }.isEmpty)
  }

  /// Its answer says nothing any more of a record from whose id it was parted: the server has given that to another one.
  @Test(arguments: [true, false])
  func whatIsPartedFromItsIdInFlightWaitsForAPersonAlone(_ isDeletedHere: Bool) throws {
    let ann = try self.fixture.addPerson("Ann")
    try self.fixture.push(now: 2)
    let first = try self.fixture.write { try $0.records.create(Note(of: ann, "first"), now: 3) }
    let made = try self.begin(now: 4)
    try self.fixture.write { try $0.outbox.arrived(made.row, server: made.record.made(as: 20, at: 4), now: 4) }
    try self.fixture.write {
      var changed = try $0.records.require(Note.self, first.id)
      changed.body = "changed"
      if isDeletedHere {
        _ = try $0.records.delete(Note.self, first.id, now: 5)
      } else {
        _ = try $0.records.update(changed, now: 5)
      }
    }
    // Of the first attempt nothing is known.
    try self.fail(try self.begin(now: 6), isOpen: false)
    try self.fixture.write { _ = try $0.records.create(Note(of: ann, "second"), now: 7) }
    let both = try self.beginAll(now: 8)
    let (change, creation) = (try #require(both.first), try #require(both.last))
    #expect(both.count == 2 && creation.operation == .create)
    try self.fixture.write {
      try $0.outbox.arrived(creation.row, server: creation.record.made(as: 20, at: 9_000_000_000), now: 9)
      try $0.outbox.failed(
        change.row, error: Failure.cancelled.status, nextAttemptAt: isDeletedHere ? 10 : nil, isUnsure: true, now: 9)
    }
    let conflicts = try self.fixture.read { try $0.outbox.conflicts().conflicts.map(\.id) }
    #expect(conflicts == (isDeletedHere ? [] : [first.id]))
    #expect(try self.fixture.queued() == (isDeletedHere ? [] : ["update note conflict"]))
    #expect(try self.fixture.read { try $0.outbox.counts() }.pending == 0)
  }

  /// Ann is on the server, and has two notes of the same words that are not.
  private func twoEqualNotes() throws {
    let ann = try self.fixture.addPerson("Ann")
    try self.fixture.push(now: 2)
    try self.fixture.write {
      for _ in 0..<2 { _ = try $0.records.create(Note(of: ann, "8 units"), now: 3) }
    }
  }

  private func beginAll(now: Int64) throws -> [OutboxEntry] {
    let due = try self.fixture.read { try $0.outbox.due(now: now, limit: 10) }
    return try self.fixture.write { try $0.outbox.begin(due.map(\.row), now: now) }
  }

  @Test func whatIsSearchedForIsNotSentBesideAnEqualCreation() throws {
    try self.twoEqualNotes()
    let sent = try self.beginAll(now: 4)
    #expect(sent.count == 2)
    for entry in sent { try self.fail(entry, isOpen: false) }
    // Each search could find what the other one creates at this moment.
    let first = try #require(try self.beginAll(now: 6).first)
    #expect(first.isUnsure)
    #expect(try self.beginAll(now: 6).isEmpty)
    try self.fixture.write { try $0.outbox.arrived(first.row, server: first.record.stored(as: 9, at: 7), now: 7) }
    let second = try #require(try self.beginAll(now: 8).first)
    #expect(second.isUnsure && second.takenIDs == [9])
  }

  @Test func anAnswerAboutWhatAnotherRecordIsOnTheServerIsNotOfThisOne() throws {
    try self.twoEqualNotes()
    let sent = try self.beginAll(now: 4)
    for entry in sent {
      try self.fixture.write { try $0.outbox.arrived(entry.row, server: entry.record.stored(as: 9, at: 5), now: 5) }
    }
    // A server that repeats its answer is not asked without a pause.
    #expect(try self.beginAll(now: 6).isEmpty)
    let again = try self.beginAll(now: 6_000_000_000)
    #expect(again.map(\.row) == sent.suffix(1).map(\.row))
    #expect(again.allSatisfy { $0.isUnsure && $0.takenIDs == [9] && $0.attempt != sent.last?.attempt })
    try self.fixture.write {
      try $0.outbox.arrived(again[0].row, server: again[0].record.stored(as: 10, at: 7), now: 7)
    }
    #expect(try self.fixture.queued().isEmpty)
    #expect(try self.fixture.read { try $0.records.serverIDs(.note) } == [9, 10])
  }
}
