import Bus
import GRDB
import KithMessages
import TestKit
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct JournalTests {
  private let minute: Int64 = 60_000_000_000

  @Test func `finished commands are forgotten by count, oldest first`() async throws {
    let temporary = TemporaryStore()
    var limits = StorageLimits()
    limits.journal.rows = 20
    limits.journal.slice = 7
    let storage = try temporary.open(limits: limits)
    for index in 0..<60 { _ = try await storage.insert("k\(index)") }
    try await storage.upkeep()
    #expect(storage.journal.rows == 20)
    let forgotten = try #require(TemporaryStore.context(key: "k39").ticket)
    let kept = try #require(TemporaryStore.context(key: "k40").ticket)
    #expect(try await storage.recall(forgotten) == nil)
    #expect(try await storage.recall(kept)?.isReplayed == true)
    await storage.close()

    let reopened = try temporary.open(limits: limits)
    #expect(reopened.journal.rows == 20)
    #expect(try await reopened.insert("k59").isReplayed)
    await reopened.close()
  }

  @Test func `finished commands are forgotten by size and by age`() async throws {
    let temporary = TemporaryStore()
    var limits = StorageLimits()
    limits.journal.bytes = 3000
    limits.journal.slice = 4
    let storage = try temporary.open(limits: limits)
    for index in 0..<40 { _ = try await storage.insert("k\(index)") }
    try await storage.upkeep()
    #expect((5...14).contains(storage.journal.rows))
    #expect(try await storage.insert("k39").isReplayed)
    try await storage.upkeep(now: WallClock.nanoseconds() + 25 * 60 * self.minute)
    #expect(storage.journal.rows == 0)
    await storage.close()
  }

  @Test func `a long command survives a restart as unfinished and ends once`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let ticket = try #require(TemporaryStore.context(key: "long").ticket)
    try await storage.accept(ticket, request: [9, 9])
    #expect(try await storage.recall(ticket) == nil)
    await storage.close()

    let reopened = try temporary.open()
    let unfinished = try await reopened.unfinished()
    #expect(unfinished.map(\.request) == [[9, 9]])
    #expect(unfinished.first?.ticket.key == "long")
    #expect(unfinished.first?.ticket.method == RestoreContactRequest.method)
    #expect(try await reopened.insert("long").isReplayed == false)
    #expect(try await reopened.unfinished().isEmpty)
    #expect(try await reopened.recall(ticket)?.status.code == .ok)
    #expect(try await reopened.insert("long").isReplayed)
    await reopened.close()
  }

  @Test func `lasting failures of long commands are remembered, transient ones forgotten`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let lasting = try #require(TemporaryStore.context(key: "lasting").ticket)
    let transient = try #require(TemporaryStore.context(key: "transient").ticket)
    let unknown = try #require(TemporaryStore.context(key: "unknown").ticket)
    let failure = Failure.invalid(field: "name", "is taken")
    for ticket in [lasting, transient] { try await storage.accept(ticket, request: []) }
    await storage.conclude(lasting, with: failure)
    await storage.conclude(transient, with: .diskFull)
    await storage.conclude(unknown, with: failure)
    #expect(try await storage.recall(lasting)?.status == failure.status)
    #expect(lasting.outcome?.status == failure.status)
    await #expect(throws: failure) { try await storage.insert("lasting") }
    #expect(try await storage.recall(transient) == nil)
    #expect(try await storage.recall(unknown) == nil)
    #expect(try await storage.unfinished().isEmpty)
    await storage.close()
  }

  @Test func `an overfull journal is trimmed without anybody asking`() async throws {
    let temporary = TemporaryStore()
    var limits = StorageLimits()
    limits.journal.rows = 50
    limits.journal.slice = 10
    let storage = try temporary.open(limits: limits)
    for index in 0..<300 { _ = try await storage.insert("k\(index)") }
    #expect(storage.journal.rows <= 70)
    await storage.close()
  }

  @Test func `a key whose command was rolled back is not kept`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let ticket = try #require(TemporaryStore.context(key: "a").ticket)
    let prior = try await storage.insert("before")
    await #expect(throws: Failure.self) {
      try await storage.commit(RestoreContactRequest.self, TemporaryStore.context(key: "a")) {
        transaction throws(Failure) in
        // Commits together with the body's writes, and fails there.
        try transaction.attempt {
          try $0.execute(
            sql: """
              CREATE TRIGGER poison BEFORE INSERT ON command WHEN new.key = 'a'
              BEGIN SELECT RAISE(ROLLBACK, 'poisoned'); END
              """)
        }
        return GetContactReply()
      }
    }
    #expect(!prior.isReplayed)
    #expect(!storage.journal.mayHold(ticket))
    #expect(try await storage.insert("a").isReplayed == false)
    #expect(storage.journal.mayHold(ticket))
    await storage.close()
  }

  @Test func `a command is kept whose older answer is forgotten in the same group`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await storage.commit(RestoreContactRequest.self, TemporaryStore.context(key: "a")) { _ in GetContactReply()
    }
    let gate = DispatchGate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try? await storage.write { _ in gate.wait() } }
      try await gate.untilReached()
      group.addTask {
        _ = try? await storage.journal.trim(now: WallClock.nanoseconds() + 25 * 60 * self.minute)
      }
      try await until { storage.group.waiting >= 1 }
      group.addTask { _ = try? await storage.insert("a") }
      try await until { storage.group.waiting >= 2 }
      gate.open()
    }
    #expect(try await storage.records() == ["a"])
    #expect(storage.journal.rows == 1)
    #expect(try await storage.insert("a").isReplayed)
    await storage.close()
  }
}
