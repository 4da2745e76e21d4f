import Bus
import EventLoop
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaGateway

/// The engine on a real store, with a model of the server.
@Suite(.timeLimit(.minutes(5))) struct SyncEngineTests {
  // MARK: - Sending

  @Test func whatIsWrittenIsSentPeopleFirst() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      for number in 1...9 { try await home.call(ann, "call \(number)") }
      let status = try await home.sync(pushOnly: true)
      #expect(status.pending == 0 && status.sync.pushed == 10 && status.sync.state == .completed)
      #expect(home.server.rows(.call).count == 9 && home.server.texts(.person) == ["Ann"])
      #expect(home.server.takeRequests().first == "push create person")
      #expect(home.server.state.withLock { $0.mostUnderWay } <= PushState.width)
      let calls = try await home.all(Call.self)
      #expect(calls.allSatisfy { $0.syncState == "synced" && $0.monicaID != 0 })
      #expect(Set(home.server.rows(.call).map(\.clientID)) == Set(calls.map(\.id)))
    }
  }

  @Test func aNudgeSendsWithoutACommand() async throws {
    try await SyncHome.with { home in
      try await home.person("Ann")
      home.engine.nudge()
      try await until { !home.server.rows(.person).isEmpty }
      await home.rest()
      #expect(home.server.takeRequests() == ["push create person"])
      let states = home.events.filter { $0.header.stream == "sync" }.map(\.event.sync)
      #expect(states.map(\.state) == [.syncing, .completed] && states.last?.pushed == 1 && states.last?.pending == 0)
      #expect(Set(home.events.filter { $0.header.stream == "sync" }.map(\.header.key)) == ["monica"])
    }
  }

  @Test func aClockThatIsSetBackHoldsNothingUp() async throws {
    try await SyncHome.with { home in
      let day = 24 * 60 * SyncHome.minute
      try await home.engine.start(startsNow: true, interval: 15 * SyncHome.minute)
      await home.rest()
      home.server.fail([.unreachable])
      try await home.person("Ann")
      await home.engine.wake()
      home.engine.nudge()
      try await until { !home.server.state.withLock { $0.faults.contains(.unreachable) } }
      await home.rest()
      home.setClock(by: -day)
      home.pass(SyncHome.minute)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.texts(.person) == ["Ann"])
      // A start does not send it either: its time was recorded by the clock that was ahead.
      home.setClock(by: day)
      try await home.person("Bea")
      home.setClock(by: -day)
      try await home.crash()
      try await home.sync(pushOnly: true)
      #expect(home.server.texts(.person) == ["Ann", "Bea"])
      // And the schedule continues.
      try await home.engine.start(startsNow: false, interval: 15 * SyncHome.minute)
      _ = home.server.takeRequests()
      home.setClock(by: -day)
      home.pass(15 * SyncHome.minute)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests().first == "catalogs", "what was read in a time to come is read again")
    }
  }

  @Test func aRefusalStandsAloneAndIsShown() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      let bad = try await home.note(ann, "REFUSE me")
      try await home.note(ann, "fine")
      let status = try await home.sync()
      #expect(status.failed == 1 && status.pending == 0 && status.sync.failed == 1)
      #expect(status.sync.state == .completed && home.server.texts(.note) == ["fine"])
      let failed = try await home.get(Note.self, bad.id)
      #expect(failed.syncState == "failed" && failed.syncError.reason == "MONICA_REFUSED")
      _ = home.server.takeRequests()
      try await home.sync(pushOnly: true)
      #expect(home.server.takeRequests().isEmpty)
      try await home.update(Note.self, bad.id) { $0.body = "better" }
      #expect(try await home.sync(pushOnly: true).failed == 0)
      #expect(home.server.texts(.note) == ["better", "fine"])
    }
  }

  @Test func whatAFirewallForbidsHoldsNothingElseUp() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      for number in 1...5 { try await home.note(ann, "FORBID \(number)") }
      try await home.note(ann, "fine")
      home.server.makePerson("Bea")
      for _ in 1...3 {
        let status = try await home.sync()
        #expect(status.sync.state == .completed && status.pending == 5 && status.failed == 0)
      }
      #expect(home.server.texts(.note) == ["fine"])
      #expect(try await home.all(Person.self).map(\.firstName).sorted() == ["Ann", "Bea"])
      let entry = try #require(try await home.queue().first)
      #expect(entry.error.reason == "MONICA_FORBIDDEN" && entry.hasNextAttemptAt)
    }
  }

  @Test func aRateLimitIsWaitedForByAll() async throws {
    try await SyncHome.with { home in
      for name in ["Ann", "Bea", "Cid"] { try await home.person(name) }
      home.server.state.withLock { $0.rateLimit = 40_000 }
      home.server.fail([.rateLimited])
      let status = try await home.sync()
      #expect(status.sync.state == .error && status.sync.error.message == "Too many requests")
      let next = status.nextAttemptAt.nanosecondsSince1970
      #expect(next >= home.now + 40_000_000_000 && status.pending > 0)
      _ = home.server.takeRequests()
      #expect(try await home.sync().sync.state == .error)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests().isEmpty, "nothing is asked before the time")
      home.pass(next - home.now)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.texts(.person) == ["Ann", "Bea", "Cid"])
      #expect(try await !home.status().hasNextAttemptAt)
    }
  }

  @Test func anUnreachableServerIsTriedLaterAndAtOnceByCommand() async throws {
    try await SyncHome.with { home in
      try await home.person("Ann")
      home.server.fail([.unreachable])
      #expect(try await home.sync(pushOnly: true).sync.error.message == "Cannot connect")
      home.engine.nudge()
      await Task.yield()
      await home.rest()
      #expect(home.server.takeRequests() == ["push create person"])
      #expect(try await home.sync(pushOnly: true).pending == 0)
    }
  }

  @Test func anExpiredTokenKeepsWhatWaits() async throws {
    try await SyncHome.with { home in
      try await home.person("Ann")
      home.server.fail([.refusedToken])
      let status = try await home.sync()
      #expect(status.state == "expired" && status.pending == 1)
      #expect(status.sync.error.message == "Your session expired. Please log in again")
      _ = home.server.takeRequests()
      let failure = await #expect(throws: Failure.self) { try await home.sync() }
      #expect(failure?.message == "Your session expired. Please log in again")
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests().isEmpty)
      var login = LoginRequest()
      login.cloud = true
      login.token = "good"
      _ = try await home.router.ask(login)
      await home.rest()
      #expect(home.server.texts(.person) == ["Ann"])
      #expect(try await home.status().state == "logged_in")
    }
  }

  @Test func whatIsEditedWhileItIsUnderWayFollows() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync(pushOnly: true)
      let note = try await home.note(ann, "one")
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: true)
      try await home.update(Note.self, note.id) { $0.body = "two" }
      home.pass(SyncHome.minute)
      try await home.sync(pushOnly: true)
      #expect(home.server.texts(.note) == ["two"])
      #expect(try await home.get(Note.self, note.id).syncState == "synced")
    }
  }

  @Test func whatIsDeletedBeforeItsAnswerCameIsDeletedThere() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync(pushOnly: true)
      let note = try await home.note(ann, "oh no")
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: true)
      try await home.delete(Note.self, note.id)
      home.pass(SyncHome.minute)
      #expect(try await home.sync().pending == 0)
      #expect(home.server.rows(.note).isEmpty)
      #expect(try await home.all(Note.self).isEmpty)
    }
  }

  // MARK: - Reading

  @Test func aFirstPassBringsEverythingIn() async throws {
    try await SyncHome.with { home in
      let people = (1...12).map { home.server.makePerson("p\($0)") }
      for (number, person) in people.enumerated() {
        home.server.make(
          .call(
            .with {
              $0.note = "c\(number)"; $0.calledAt = .init(seconds: 1_600_000_000)
            }), owner: person)
        home.server.make(
          .contactField(
            .with {
              $0.type = "email"; $0.data = "\(number)@x"
            }), owner: person)
      }
      home.server.make(
        .relationship(.with { $0.type = "parent" }), owner: people[0], others: [people[1]])
      let status = try await home.sync()
      #expect(status.people == 12 && status.sync.state == .completed && status.hasLastPullAt)
      #expect(status.sync.added >= 24 && status.sync.done == status.sync.total)
      #expect(try await home.all(Call.self).count == 12)
      #expect(try await home.all(ContactField.self).count == 12)
      #expect(try await home.all(Relationship.self).count == 1)
      let again = try await home.sync()
      #expect(again.sync.added == 0 && again.sync.updated == 0 && again.sync.deleted == 0)
    }
  }

  @Test func peopleWhoAreInNoListComeWithWhatIsTheirs() async throws {
    try await SyncHome.with { home in
      let hidden = home.server.makePerson("Hidden")
      home.server.make(
        .call(
          .with {
            $0.note = "old"; $0.calledAt = .init(seconds: 1)
          }), owner: hidden)
      home.server.web { _ = $0.archived.insert(hidden) }
      let status = try await home.sync()
      #expect(status.sync.state == .completed)
      let person = try #require(try await home.all(Person.self).first)
      #expect(person.isArchived && person.monicaID == hidden)
      #expect(try await home.all(Call.self).map(\.personID) == [person.id])
      home.pass(24 * 60 * SyncHome.minute)
      try await home.sync()
      #expect(try await home.all(Person.self).count == 1)
    }
  }

  @Test func peopleWhoAreInNoListComeHoweverFewTheServerAnswersAtATime() async throws {
    try await SyncHome.with { home in
      let ann = home.server.makePerson("Ann")
      let hidden = (1...40).map { home.server.makePerson("h\($0)") }
      home.server.web { $0.archived.formUnion(hidden) }
      // Each is related to Ann and to the next one.
      for (one, other) in zip(hidden, hidden.dropFirst() + [ann]) {
        home.server.make(.relationship(.with { $0.type = "parent" }), owner: ann, others: [one])
        if other != ann { home.server.make(.relationship(.with { $0.type = "friend" }), owner: one, others: [other]) }
      }
      var state = SyncStatus.State.error
      for _ in 1...10 where state != .completed {
        home.pass(SyncHome.minute)
        home.server.state.withLock { $0.allowance = 10 }
        state = try await home.sync().sync.state
      }
      #expect(state == .completed)
      #expect(try await home.all(Person.self).count == 41)
      #expect(try await home.all(Relationship.self).count == 79)
      // Once because Ann's relationships name them, and once because no list has them.
      #expect(home.server.takeRequests().count { $0 == "read person" } < 2 * 40 + 10)
    }
  }

  @Test func whatWasDeletedThereIsDeletedHere() async throws {
    try await SyncHome.with { home in
      let person = home.server.makePerson("Ann")
      let calls = (1...8).map { number in
        home.server.make(
          .call(
            .with {
              $0.note = "c\(number)"; $0.calledAt = .init(seconds: 1)
            }), owner: person)
      }
      try await home.sync()
      home.server.remove(.call, calls[2])
      let status = try await home.sync()
      #expect(status.sync.deleted == 1)
      #expect(try await home.all(Call.self).count == 7)
      home.server.remove(.person, person)
      try await home.sync()
      #expect(try await home.all(Person.self).isEmpty)
      #expect(try await home.all(Call.self).isEmpty)
      #expect(try await home.queue().isEmpty, "nothing is sent of what the server deleted")
    }
  }

  @Test func progressIsToldAndEventsAreFew() async throws {
    try await SyncHome.with { home in
      for number in 1...40 { home.server.makePerson("p\(number)") }
      let seen = Notes()
      _ = try await home.engine.sync(PullPlan.Options(isCommanded: true), cause: "me") { seen.add($0.note) }
      // The first page is read twice.
      #expect(seen.all.count > 5 && seen.all.last == "45 of 45")
      let events = home.events.filter { $0.header.stream == "sync" }
      #expect(events.count == 2, "time stood still: the beginning and the end")
      #expect(events.allSatisfy { $0.header.causeRequestID == "me" })
    }
  }

  @Test func aPassThatFailedGoesOnWhereItStopped() async throws {
    try await SyncHome.with { home in
      for number in 1...40 { home.server.makePerson("p\(number)") }
      home.server.fail([nil, nil, nil, nil, nil, nil, .unreachable])
      #expect(try await home.sync().sync.state == .error)
      let stored = try await home.all(Person.self).count
      #expect(stored > 0 && stored < 40)
      _ = home.server.takeRequests()
      home.pass(SyncHome.minute)
      let status = try await home.sync()
      #expect(status.sync.state == .completed && status.people == 40)
      #expect(!home.server.takeRequests().contains("pull person 1 made"))
    }
  }

  @Test func theScheduleComesBackAfterAFailure() async throws {
    try await SyncHome.with { home in
      try await home.engine.start(startsNow: true, interval: 15 * SyncHome.minute)
      await home.rest()
      #expect(home.server.takeRequests().contains("pull person 1 newest"))
      home.pass(14 * SyncHome.minute)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests().isEmpty)
      home.pass(SyncHome.minute)
      home.server.fail([.unreachable])
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests() == ["pull person 1 newest"])
      #expect(try await home.status().hasNextAttemptAt)
      home.pass(10_000_000_000)
      await home.engine.wake()
      await home.rest()
      #expect(home.server.takeRequests().contains("pull gift 1 newest"))
      #expect(try await home.status().sync.state == .completed)
    }
  }

  @Test func twoWhoAskTogetherGetOnePass() async throws {
    try await SyncHome.with { home in
      async let first = home.engine.sync(PullPlan.Options(isCommanded: true), cause: "a", progress: nil)
      async let second = home.engine.sync(PullPlan.Options(isCommanded: true), cause: "b", progress: nil)
      let runs = Set([try await first.runID, try await second.runID])
      #expect(runs.count == 1 && home.server.takeRequests().count { $0 == "pull person 1 newest" } == 1)
    }
  }

  @Test func whoeverIsCancelledLeavesAndThePassEnds() async throws {
    try await SyncHome.with { home in
      home.server.fail([.crash])
      let crashes = home.server.watch()
      let pass = Task { try await home.engine.sync(PullPlan.Options(), cause: "", progress: nil) }
      for await _ in crashes { break }
      pass.cancel()
      let failure = await #expect(throws: Failure.self) { _ = try await pass.value }
      #expect(failure?.code == .cancelled)
      home.server.revive()
      await home.rest()
      let status = try await home.status()
      #expect(status.sync.state == .idle)
    }
  }
}

/// Recorded texts, in order.
private final class Notes: Sendable {
  private let notes = Lock<[String]>([])
  var all: [String] { self.notes.withLock { $0 } }
  func add(_ note: String) { self.notes.withLock { $0.append(note) } }
}
