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
}
