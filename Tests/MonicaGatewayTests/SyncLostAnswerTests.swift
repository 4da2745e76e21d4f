import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

/// Changes whose answer was lost.
@Suite(.timeLimit(.minutes(5))) struct SyncLostAnswerTests {
  @Test func aLostAnswerIsLookedForAndNotSentAgain() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync(pushOnly: true)
      try await home.note(ann, "hello ")
      home.server.fail([.lostAnswer])
      let first = try await home.sync(pushOnly: true)
      #expect(first.pending == 1 && home.server.rows(.note).count == 1)
      home.pass(SyncHome.minute)
      let second = try await home.sync(pushOnly: true)
      #expect(second.pending == 0 && home.server.texts(.note) == ["hello"])
      #expect(try await home.all(Note.self).map(\.body) == ["hello"])
    }
  }

  @Test func whatTheServerMayStillBeAtIsNotSentAgain() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let call = try await home.call(ann, "once")
      home.server.fail([.late])
      try await home.sync(pushOnly: true)
      // Neither a command nor an edit nor a restart sends it before the server must have finished.
      try await home.update(Call.self, call.id) { $0.note = "once, edited" }
      home.pass(10_000_000_000)
      _ = home.server.takeRequests()
      #expect(try await home.sync(pushOnly: true).pending == 1)
      #expect(try await home.status().nextAttemptAt.nanosecondsSince1970 == home.now + 20_000_000_000)
      try await home.crash()
      try await home.sync(pushOnly: true)
      #expect(home.server.takeRequests().isEmpty)
      home.pass(20_000_000_000)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.texts(.call) == ["once, edited"])
      #expect(try await home.queue().isEmpty)
    }
  }

  @Test func whatWasUnderWayAtAKillIsNotSentAgainAtOnce() async throws {
    try await SyncHome.with { home in
      try await home.person("Ann")
      try await self.killOverAPush(home)
      try await home.sync(pushOnly: true)
      #expect(home.server.takeRequests().isEmpty)
      home.pass(SyncHome.timeLimit)
      try await home.sync(pushOnly: true)
      #expect(home.server.texts(.person) == ["Ann"])
    }
  }

  @Test func whatBecomesDueWhileTheMachineIsBusyIsSentBeforeTheCommandEnds() async throws {
    try await SyncHome.with(timeLimit: nil, delay: 400_000_000) { home in
      try await home.person("Ann")
      try await self.killOverAPush(home)
      #expect(try await home.sync(pushOnly: true).pending == 0)
      #expect(home.server.texts(.person) == ["Ann"])
    }
  }

  @Test(arguments: [nil, 0] as [Int64?])
  func byDefaultAQuickServerIsGivenAMomentAfterAKillAndNoneWhilePeopleWait(_ limit: Int64?) async throws {
    try await SyncHome.with(timeLimit: limit) { home in
      try await home.person("Ann")
      try await self.killOverAPush(home)
      // Work without a waiting caller does not wait for it.
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests().isEmpty)
      let begin = home.now
      let status = try await home.sync(pushOnly: true)
      #expect(status.sync.state == .completed && status.pending == 0 && home.now == begin + 5_000_000_000)
      #expect(home.server.texts(.person) == ["Ann"])
      try await home.person("Bea")
      home.server.fail([.lostAnswer])
      #expect(try await home.sync(pushOnly: true).pending == 1)
      #expect(try await home.sync(pushOnly: true).pending == 0)
      #expect(home.server.texts(.person) == ["Ann", "Bea"])
    }
  }

  @Test func whatAStopInterruptedIsGivenTheSameMoment() async throws {
    try await SyncHome.with(timeLimit: nil) { home in
      try await self.interruptAPush(home) {
        await $0.stop()
      } begun: {
        await $0.isStopped
      }
      try await home.crash()
      let begin = home.now
      #expect(try await home.sync(pushOnly: true).pending == 0 && home.now == begin + 5_000_000_000)
      #expect(home.server.texts(.person) == ["Ann"])
    }
  }

  @Test func whatALoginInterruptedIsGivenTheSameMoment() async throws {
    try await SyncHome.with(timeLimit: nil) { home in
      try await self.interruptAPush(home) {
        try? await $0.hold { () async throws(Failure) in }
      } begun: {
        await $0.holds == 1
      }
      _ = home.server.takeRequests()
      await home.rest()
      #expect(!home.server.takeRequests().contains { $0.hasPrefix("push") })
      let begin = home.now
      #expect(try await home.sync(pushOnly: true).pending == 0 && home.now == begin + 5_000_000_000)
      #expect(home.server.texts(.person) == ["Ann"])
    }
  }

  @Test func aWaitThatFailsMakesTheNextSyncReadAllTheSame() async throws {
    try await SyncHome.with(timeLimit: nil) { home in
      try await home.sync()
      _ = home.server.takeRequests()
      try await home.sync()
      let readings = home.server.takeRequests().count
      try await home.person("Ann")
      try await self.killOverAPush(home)
      home.server.fail(Array(repeating: nil, count: readings) + [.unreachable])
      #expect(try await home.sync().pending == 1)
      #expect(home.server.takeRequests().last == "push create person")
      home.server.makePerson("Web")
      home.pass(SyncHome.minute)
      try await home.sync()
      #expect(try await home.all(Person.self).map(\.firstName).sorted() == ["Ann", "Web"])
    }
  }

  @Test func aClockThatIsSetBackALittleEndsNoWaitForTheServer() async throws {
    try await SyncHome.with(timeLimit: 15 * SyncHome.minute) { home in
      try await home.person("Ann")
      home.server.fail([.late])
      try await home.sync(pushOnly: true)
      home.setClock(by: -SyncHome.minute)
      _ = home.server.takeRequests()
      let status = try await home.sync(pushOnly: true)
      #expect(home.server.takeRequests().isEmpty)
      #expect(status.nextAttemptAt.nanosecondsSince1970 == home.now + 16 * SyncHome.minute)
      // A clock that was far ahead is no reason to wait.
      home.pass(SyncHome.minute)
      home.setClock(by: -60 * SyncHome.minute)
      #expect(try await home.sync(pushOnly: true).pending == 0)
      #expect(home.server.texts(.person) == ["Ann"])
    }
  }

  @Test func whatWasUnderWayAtACrashIsLookedFor() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync(pushOnly: true)
      for number in 1...6 { try await home.note(ann, "note \(number)") }
      home.server.fail([nil, .crash])
      let crashes = home.server.watch()
      let pass = Task { try await home.sync(pushOnly: true) }
      for await _ in crashes { break }
      try await home.crash()
      _ = await pass.result
      await home.rest()
      home.pass(SyncHome.minute)
      #expect(try await home.sync(pushOnly: true).pending == 0)
      #expect(home.server.texts(.note) == (1...6).map { "note \($0)" })
    }
  }

  @Test func whatWasGivenUpAndHadArrivedIsWhatTheServerHas() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let call = try await home.call(ann, "arrived")
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: true)
      let now = home.now
      try await home.storage.write { transaction throws(Failure) in
        _ = try transaction.outbox.clear([call.id], now: now)
      }
      #expect(try await home.all(Call.self).isEmpty)
      try await home.sync()
      #expect(try await home.all(Call.self).map(\.syncState) == ["synced"])
      // A record that was deleted here stays deleted.
      try await home.delete(Call.self, call.id)
      try await home.sync()
      #expect(try await home.all(Call.self).isEmpty && home.server.rows(.call).isEmpty)
      try await home.sync(full: true)
      #expect(try await home.all(Call.self).isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func aLostRecordThatAPullBroughtAndSomebodyChangedIsOne(_ isChangedThere: Bool) async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let task = try await home.create(
        TaskItem.with {
          $0.personID = ann.id
          $0.title = "Buy milk"
        })
      home.server.fail([.lostAnswer])
      try await home.sync()
      // Only its content identifies it on the server.
      #expect(try await home.all(TaskItem.self).map(\.monicaID) == [0])
      home.server.edit(.task, home.server.rows(.task)[0].monicaID) { $0.task.isCompleted = true }
      try await home.sync()
      let twin = try #require(try await home.all(TaskItem.self).first { $0.monicaID != 0 })
      #expect(try await home.all(TaskItem.self).count == 2)
      if isChangedThere {
        home.server.edit(.task, twin.monicaID) { $0.task.isCompleted = false }
      } else {
        try await home.update(TaskItem.self, twin.id) { $0.isCompleted = false }
        home.engine.nudge()
        try await until { home.server.rows(.task).first?.task.isCompleted == false }
        await home.rest()
      }
      home.pass(SyncHome.minute)
      #expect(try await home.sync().sync.state == .completed)
      let one = try #require(try await home.all(TaskItem.self).first)
      #expect(try await home.all(TaskItem.self).count == 1 && home.server.rows(.task).count == 1)
      #expect(one.id == task.id && one.monicaID == twin.monicaID && !one.isCompleted && one.syncState == "synced")
      #expect(try await home.queue().isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func aNewRelationshipThatIsEditedBeforeItsAnswerMeansWhatWasSaidOfIt(_ isPulled: Bool) async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let bea = try await home.person("Bea")
      try await home.sync()
      let relationship = try await home.create(
        Relationship.with {
          $0.personID = bea.id
          $0.otherID = ann.id
          $0.type = "parent"
        })
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: !isPulled)
      // The server has it as seen from Ann, whose child is Bea. Now it is reversed.
      try await home.update(Relationship.self, relationship.id) { $0.type = "child" }
      home.pass(SyncHome.minute)
      #expect(try await home.sync().pending == 0)
      let rows = home.server.rows(.relationship)
      let annsID = try await home.get(Person.self, ann.id).monicaID
      #expect(rows.count == 2 && rows.first { $0.owner == annsID }?.relationship.type == "parent")
      let all = try await home.all(Relationship.self)
      #expect(all.map(\.id) == [relationship.id] && all.first?.personID == ann.id && all.first?.type == "parent")
    }
  }

  @Test func aNewRelationshipWithoutAnAnswerIsNotReadAsASecondOne() async throws {
    try await SyncHome.with { home in
      let (ann, bea) = (try await home.person("Ann"), try await home.person("Bea"))
      try await home.sync()
      let relationship = try await home.create(
        Relationship.with {
          $0.personID = bea.id
          $0.otherID = ann.id
          $0.type = "parent"
        })
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: true)
      // The server may still be at it, so that it is read first.
      try await home.sync(full: true)
      #expect(try await home.all(Relationship.self).map(\.id) == [relationship.id])
      home.pass(SyncHome.minute)
      #expect(try await home.sync(full: true).pending == 0)
      #expect(try await home.all(Relationship.self).map(\.id) == [relationship.id])
      #expect(home.server.rows(.relationship).count == 2)
    }
  }

  @Test func aLostActivityIsFoundThoughOneOfItsPeopleWasDeletedHere() async throws {
    try await SyncHome.with { home in
      let (ann, bea) = (try await home.person("Ann"), try await home.person("Bea"))
      try await home.sync()
      try await self.loseWalk(of: [ann, bea], home)
      try await home.delete(Person.self, bea.id)
      home.pass(SyncHome.minute)
      #expect(try await home.sync().pending == 0)
      #expect(home.server.texts(.activity) == ["Walk"] && home.server.texts(.person) == ["Ann"])
      let walk = try #require(try await home.all(Activity.self).first)
      #expect(try await home.all(Activity.self).count == 1 && walk.syncState == "synced")
    }
  }

  @Test func aLostActivityIsFoundThoughTheServerHasDeletedOneOfItsPeople() async throws {
    try await SyncHome.with { home in
      let (ann, bea) = (try await home.person("Ann"), try await home.person("Bea"))
      try await home.sync()
      let walk = try await self.loseWalk(of: [ann, bea], home)
      home.server.remove(.person, try await home.get(Person.self, bea.id).monicaID)
      home.pass(SyncHome.minute)
      // It is searched for as it was sent, created again, and refused because of Bea. The pass then learns that she was
      // deleted.
      #expect(try await home.sync().failed == 1)
      let now = home.now
      try await home.storage.write { transaction throws(Failure) in
        _ = try transaction.outbox.retry([walk.id], now: now)
      }
      #expect(try await home.sync().failed == 0)
      #expect(home.server.texts(.activity) == ["Walk"])
      #expect(try await home.all(Activity.self).map(\.syncState) == ["synced"])
    }
  }

  @Test func aLostRecordOfSomebodyWhoIsDeletedAndRestoredIsThereOnce() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      try await home.create(
        ContactField.with {
          $0.personID = ann.id
          $0.type = "email"
          $0.data = "ann@example.com"
        })
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: true)
      try await home.delete(Person.self, ann.id)
      home.pass(SyncHome.minute)
      // The lost record is deleted, but its person is not, because the deletion is withdrawn.
      home.server.fail([nil, .trouble])
      try await home.sync(pushOnly: true)
      let now = home.now
      try await home.storage.write { transaction throws(Failure) in
        _ = try transaction.records.restore(Person.self, ann.id, now: now)
      }
      home.pass(SyncHome.minute)
      #expect(try await home.sync().pending == 0)
      #expect(home.server.texts(.contactField) == ["ann@example.com"])
      #expect(try await home.all(ContactField.self).map(\.syncState) == ["synced"])
    }
  }

  /// Creates an activity that arrives, and whose answer is lost.
  @discardableResult
  private func loseWalk(of people: [Person], _ home: SyncHome) async throws -> Activity {
    let walk = try await home.create(
      Activity.with {
        $0.summary = "Walk"
        $0.happenedOn = "2026-01-02"
        $0.participants = people.map(\.id)
      })
    home.server.fail([.lostAnswer])
    try await home.sync(pushOnly: true)
    return walk
  }

  /// Runs work that cancels the push of a new person, which has arrived and is not answered.
  private func interruptAPush(
    _ home: SyncHome, by work: @escaping @Sendable (SyncEngine) async -> Void,
    begun: @escaping @Sendable (SyncEngine) async -> Bool
  ) async throws {
    try await home.person("Ann")
    home.server.fail([.crash])
    let crashes = home.server.watch()
    let (engine, pass) = (home.engine, Task { try await home.sync(pushOnly: true) })
    for await _ in crashes { break }
    let interruption = Task { await work(engine) }
    try await until { await begun(engine) }
    home.server.revive()
    await interruption.value
    _ = await pass.result
  }

  /// The process dies while a change is in flight that has not reached the server yet.
  private func killOverAPush(_ home: SyncHome) async throws {
    let now = home.now
    try await home.storage.write { transaction throws(Failure) in
      let due = try transaction.outbox.due(now: now, limit: 1)
      _ = try transaction.outbox.begin(due.map(\.row), now: now)
    }
    try await home.crash()
  }
}
