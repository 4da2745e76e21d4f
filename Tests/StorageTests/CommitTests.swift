import Bus
import EventLoop
import GRDB
import KithMessages
import TestKit
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct CommitTests {
  @Test(arguments: [11, 12] as [UInt64])
  func `concurrent commands with failing members happen once and leave dense events`(seed: UInt64) async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    var random = SeededGenerator(seed: seed)
    // Keys repeat, so that some commands are resent during or after their run.
    let calls = (0..<400).map { _ in
      (key: "k\(Int.random(in: 0..<250, using: &random))", fails: Int.random(in: 0..<4, using: &random) == 0)
    }
    let answered = await withTaskGroup(of: String?.self) { group in
      for call in calls {
        group.addTask {
          let answer = try? await storage.insert(call.key, failing: call.fails ? .cancelled : nil)
          return answer?.reply.contact.id
        }
      }
      return await group.reduce(into: Set<String>()) { if let key = $1 { $0.insert(key) } }
    }
    #expect(try await storage.records() == answered)
    let replay = try await storage.replay("contacts", after: 0)
    #expect(replay.events.map(\.header.seq) == Array(1...UInt64(answered.count)))
    #expect(Set(replay.events.flatMap(\.event.changed.ids)) == answered)
    #expect(replay.events == temporary.published.withLock { $0 })
    await storage.close()

    let reopened = try temporary.open()
    #expect(try await reopened.records() == answered)
    for key in answered {
      let again = try await reopened.insert(key)
      #expect(again.isReplayed)
      #expect(again.reply.contact.id == key)
    }
    #expect(try await reopened.replay("contacts", after: 0).events == replay.events)
    await reopened.close()
  }

  @Test func `an answer settles its ticket and names its effects`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let context = TemporaryStore.context(key: "one")
    let answer = try await storage.commit(RestoreContactRequest.self, context) { transaction throws(Failure) in
      transaction.changed(contacts: (0..<1001).map { "\($0)" })
      return GetContactReply()
    }
    #expect(answer.effects.map(\.stream) == ["contacts"])
    #expect(answer.effects.first?.seq == 3)
    #expect(context.ticket?.outcome?.effects == answer.effects)
    let events = try await storage.replay("contacts", after: 0).events
    #expect(events.map(\.event.changed.ids.count) == [500, 500, 1])
    #expect(events.map(\.event.changed.changeSeq) == [1, 2, 3])
    #expect(events.allSatisfy { $0.header.causeRequestID == "one" })
    await storage.close()
  }

  @Test func `a failing command leaves nothing, and may be sent again`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    await #expect(throws: Failure.cancelled) { try await storage.insert("a", failing: .cancelled) }
    #expect(try await storage.records().isEmpty)
    #expect(storage.head(.contacts) == 0)
    #expect(temporary.published.withLock { $0.isEmpty })
    #expect(try await storage.insert("a").isReplayed == false)
    await storage.close()
  }

  @Test func `the same key with other content is refused`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    _ = try await storage.insert("a", content: [1])
    let failure = await #expect(throws: Failure.self) { try await storage.insert("a", content: [2]) }
    #expect(failure?.reason == "IDEMPOTENCY_KEY_REUSED")
    let other = try #require(TemporaryStore.context(key: "a", content: [2]).ticket)
    await #expect(throws: Failure.self) { try await storage.recall(other) }
    let stranger = try #require(TemporaryStore.context(key: "a", principal: "uid:2").ticket)
    #expect(try await storage.recall(stranger) == nil)
    await storage.close()
  }

  @Test(arguments: [true, false])
  func `writes run again only when one beside them has to be undone`(afterWriting: Bool) async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (gate, runs, count) = (DispatchGate(), Lock(0), 8)
    let answered = try await withThrowingTaskGroup(of: String?.self) { group in
      group.addTask {
        try? await storage.write { _ in gate.wait() }
        return nil
      }
      try await gate.untilReached()
      for index in 0..<count {
        group.addTask {
          let context = TemporaryStore.context(key: "k\(index)")
          let answer = try? await storage.commit(RestoreContactRequest.self, context) { transaction throws(Failure) in
            runs.withLock { $0 += 1 }
            let fails = index == 5
            if fails, !afterWriting { throw .cancelled }
            try transaction.attempt {
              try $0.execute(sql: "INSERT INTO sample VALUES (?, 1)", arguments: ["k\(index)"])
            }
            transaction.changed(contacts: ["k\(index)"])
            if fails { throw .cancelled }
            var reply = GetContactReply()
            reply.contact.id = "k\(index)"
            return reply
          }
          return answer?.reply.contact.id
        }
      }
      try await until { storage.group.waiting >= count }
      gate.open()
      return try await group.reduce(into: Set<String>()) { if let key = $1 { $0.insert(key) } }
    }
    #expect(answered == Set((0..<count).map { "k\($0)" }).subtracting(["k5"]))
    #expect(try await storage.records() == answered)
    #expect(temporary.published.withLock { $0.map(\.header.seq) } == Array(1..<UInt64(count)))
    // The writes up to the failing one, then all of them.
    let ran = runs.withLock { $0 }
    #expect(afterWriting ? (count + 1...2 * count).contains(ran) : ran == count)
    await storage.close()
  }

  @Test func `a trigger that rolls everything back fails the whole group`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      try transaction.attempt {
        try $0.execute(
          sql: """
            CREATE TRIGGER poison BEFORE INSERT ON sample WHEN new.id = 'poison'
            BEGIN SELECT RAISE(ROLLBACK, 'poisoned'); END
            """)
      }
    }
    // A waiting write holds the writer until all others are in one group after it.
    let (gate, opened) = (DispatchGate(), 9)
    let failures = try await withThrowingTaskGroup(of: Failure?.self) { group in
      group.addTask {
        do throws(Failure) {
          try await storage.write { _ in gate.wait() }
          return nil
        } catch {
          return error
        }
      }
      try await gate.untilReached()
      for index in 0..<opened {
        group.addTask {
          do throws(Failure) {
            _ = try await storage.insert(index == 5 ? "poison" : "good\(index)")
            return nil
          } catch {
            return error
          }
        }
      }
      try await until { storage.group.waiting >= opened }
      gate.open()
      return try await group.reduce(into: [Failure]()) { if let failure = $1 { $0.append(failure) } }
    }
    #expect(failures.count == opened)
    #expect(try await storage.records().isEmpty)
    #expect(storage.head(.contacts) == 0)
    #expect(temporary.published.withLock { $0.isEmpty })
    #expect(try await storage.insert("after").effects.first?.seq == 1)
    await storage.close()
  }

  @Test func `a body that swallows the rollback of everything does not count as done`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let failure = await #expect(throws: Failure.self) {
      try await storage.write { transaction throws(Failure) in
        try? transaction.database.execute(sql: "ROLLBACK")
      }
    }
    #expect(failure?.reason == "STORE_ROLLED_BACK")
    #expect(try await storage.insert("after").effects.first?.seq == 1)
    await storage.close()
  }

  @Test func `a closed store refuses writes`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    await storage.close()
    let failure = await #expect(throws: Failure.self) { try await storage.insert("a") }
    #expect(failure?.reason == "SHUTTING_DOWN")
    let readFailure = await #expect(throws: Failure.self) { try await storage.records() }
    #expect(readFailure?.reason == "SHUTTING_DOWN")
  }
}
