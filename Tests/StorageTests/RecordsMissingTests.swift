import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

/// Records that the server does not have any more.
@Suite struct RecordsMissingTests {
  private static let hour: Int64 = 3_600_000_000_000

  @Test func aHoldEndsWithTheSecondReadingThatCounts() {
    let begun = DeletionHold(countedAt: 0)
    #expect(begun.after(readingAt: 11 * Self.hour) == begun)
    let first = begun.after(readingAt: 12 * Self.hour)
    #expect(first == DeletionHold(countedAt: 12 * Self.hour, readings: 1))
    #expect(first?.after(readingAt: 23 * Self.hour) == first)
    #expect(first?.after(readingAt: 24 * Self.hour) == nil)
    // One step of the clock is worth one reading at the most.
    #expect(begun.after(readingAt: 1_000 * Self.hour)?.readings == 1)
    #expect(first?.after(readingAt: 1 * Self.hour) == DeletionHold(countedAt: Self.hour))
  }

  @Test func theHoldAndWhatHasGoneAreOfTheStore() throws {
    let fixture = try ContactsFixture()
    let ids = try Self.notes(21, in: fixture)
    #expect(try fixture.write { try $0.settle(missing: Array(ids[0..<6]), of: .note, now: 200) } == (6, 0))
    // Those of both readings together are too many, as the first one did not find all.
    try fixture.write { try $0.accounts.setLastPull(200, isComplete: false) }
    #expect(try fixture.write { try $0.settle(missing: Array(ids[6..<11]), of: .note, now: 201) } == (0, 5))
    try fixture.write { try $0.accounts.setLastPull(202) }
    #expect(try fixture.write { try $0.settle(missing: [ids[11]], of: .note, now: 203) } == (0, 1))
    // Those that wait already, or have another id by now, are not asked about again.
    #expect(try fixture.write { try $0.settle(missing: Array(ids[0..<12]), of: .note, now: 204) } == (0, 0))
    #expect(try fixture.read { try $0.outbox.conflicts() }.conflicts.map(\.foundAt) == [201, 201, 201, 201, 201, 203])
    try fixture.write { try $0.accounts.setLastPull(202 + 12 * Self.hour) }
    try fixture.write { try $0.accounts.setLastPull(202 + 24 * Self.hour) }
    #expect(try fixture.write { try $0.settle(missing: [ids[12]], of: .note, now: 205) } == (1, 0))
    // The one that was looked up is another one by now.
    let missing = try #require(try fixture.read { try $0.records.missing(.note, ids[13]) })
    let other = MissingRecord(row: missing.row, kind: .note, monicaID: 9_999)
    #expect(try fixture.write { try $0.records.settle(missing: [other], now: 206) } == (0, 0))
  }

  @Test func whatStaysInConflictHidesNothingThatGoes() throws {
    let fixture = try ContactsFixture()
    let ids = try Self.notes(507, in: fixture)
    try fixture.write { transaction in
      for note in try transaction.records.page(Note.self, RecordQuery(limit: 500)).records where note.monicaID < 504 {
        var changed = note
        changed.body = "changed"
        _ = try transaction.records.update(changed, now: 150)
      }
      _ = try transaction.settle(missing: ids, of: .note, now: 200)
    }
    let unchanged = try fixture.read { try $0.outbox.conflicts(limit: 500) }
    #expect(try fixture.read { try $0.outbox.countOfDeletions() } == 507 && !unchanged.nextCursor.isEmpty)
    let gone = try fixture.write { try $0.outbox.resolveDeletions(isKept: false, now: 210) }
    let left = try fixture.read { try $0.outbox.countOfDeletions() }
    #expect(!gone.isEmpty && gone.count + left == 507 && left >= 490)
    #expect(try fixture.write { try $0.outbox.resolveDeletions(isKept: false, now: 211) }.isEmpty)
    // What was changed here is kept all the same, in as many calls as it takes.
    #expect(try fixture.write { try $0.outbox.resolveDeletions(isKept: true, now: 212) }.count == min(500, left))
  }

  @Test func theHoldEndsWithTheLastThatGoesThoughOneStays() throws {
    let fixture = try ContactsFixture()
    let ids = try Self.notes(502, in: fixture)
    try fixture.write { transaction in
      let notes = try transaction.records.page(Note.self, RecordQuery(limit: 500)).records
      var changed = try #require(notes.first { ids.prefix(501).contains($0.monicaID) })
      changed.body = "changed"
      _ = try transaction.records.update(changed, now: 150)
      _ = try transaction.settle(missing: Array(ids.prefix(501)), of: .note, now: 200)
    }
    #expect(try fixture.write { try $0.outbox.resolveDeletions(isKept: false, now: 210) }.count == 500)
    #expect(try fixture.read { try $0.outbox.countOfDeletions() } == 1)
    #expect(try fixture.write { try $0.settle(missing: [ids[501]], of: .note, now: 220) } == (1, 0))
  }

  // A change that waits for longer than a day may wait for ever, also if it was changed again since, and so may one from a time to come.
  @Test(
    arguments: [150 + 25 * RecordsMissingTests.hour, 150 - 25 * RecordsMissingTests.hour], ["waits", "is in flight"])
  func nothingGoesOfAPersonWhoseChange(until end: Int64, _ state: String) throws {
    let fixture = try ContactsFixture()
    let ids = try Self.notes(1, in: fixture)
    try fixture.write { transaction in
      var ann = try transaction.records.page(Person.self, RecordQuery(limit: 1)).records[0]
      ann.lastName = "Lee"
      _ = try transaction.records.update(ann, now: 150)
      let due = try transaction.outbox.due(now: 150, limit: 1)
      if state == "is in flight" { #expect(try transaction.outbox.begin(due.map(\.row), now: 150).count == 1) }
      ann.lastName = "Lind"
      _ = try transaction.records.update(ann, now: 150 + 23 * Self.hour)
    }
    // The server's answer to the change will tell whether the server has the person; nobody is asked before.
    for now: Int64 in [140, 200] {
      #expect(try fixture.write { try $0.settle(missing: ids, of: .note, now: now) } == (0, 0))
    }
    #expect(
      try fixture.read { try $0.records.page(Note.self, RecordQuery(limit: 10)).records.map(\.knownSyncState) } == [
        .synced
      ])
    #expect(try fixture.write { try $0.settle(missing: ids, of: .note, now: end) } == (0, 1))
  }

  /// Notes on both sides.
  ///
  /// - Returns: Their ids on the server.
  private static func notes(_ count: Int, in fixture: ContactsFixture) throws -> [UInt64] {
    let ann = try fixture.addPerson("Ann")
    try fixture.push()
    try fixture.write { transaction in
      for number in 0..<count { _ = try transaction.records.create(Note(of: ann, "note \(number)"), now: 1) }
    }
    try fixture.push(next: 2)
    return try fixture.read { try $0.records.serverIDs(.note) }.sorted()
  }
}
