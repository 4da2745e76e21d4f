import Bus
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// What the server has lost takes nothing else along: what is recorded meanwhile, what others wrote, and what nobody was asked about.
@Suite(.timeLimit(.minutes(5))) struct SyncLostTests {
  /// Ben, whom the server had and has lost: whether it has given Ben's id to Quinn.
  private func withoutBen(
    isGiven: Bool, _ work: (SyncHome, _ ben: Person, _ there: UInt64) async throws -> Void
  ) async throws {
    try await SyncHome.with { home in
      let ben = try await home.person("Ben")
      try await home.sync(full: true)
      let there = try await home.get(Person.self, ben.id).monicaID
      home.server.remove(.person, there)
      if isGiven {
        home.pass(SyncHome.minute)
        home.server.state.withLock { $0.lastID = there - 1 }
        #expect(home.server.makePerson("Quinn") == there)
      }
      try await work(home, ben, there)
    }
  }

  @Test func whatIsRecordedOfALostPersonWaitsForTheDecision() async throws {
    try await self.withoutBen(isGiven: false) { home, ben, _ in
      // A change of Ben keeps Ben here.
      try await home.update(Person.self, ben.id) { $0.job = "Baker" }
      #expect(try await home.sync(full: true).conflicts == 1)
      let note = try await home.note(ben, "since")
      _ = home.server.takeRequests()
      #expect(try await home.sync(pushOnly: true).pending == 1)
      #expect(!home.server.takeRequests().contains { $0.hasPrefix("push") })
      #expect(try await home.get(Note.self, note.id).syncState == "pending")
      try await home.resolve(ben.id, keep: "local")
      #expect(try await home.sync(full: true).pending == 0)
      #expect(home.server.texts(.note) == ["since"])
    }
  }

  @Test func ofTwoPeopleAChangeNamesTheOneToDecideOn() async throws {
    try await self.withoutBen(isGiven: false) { home, ben, _ in
      try await home.update(Person.self, ben.id) { $0.job = "Baker" }
      #expect(try await home.sync(full: true).conflicts == 1)
      let zoe = try await home.person("Zoe")
      let activity = try await home.create(
        Activity.with { ($0.summary, $0.happenedOn, $0.participants) = ("tea", "2026-01-02", [zoe.id, ben.id]) })
      let waits = try #require(try await home.queue().first { $0.id == activity.id }).waitsFor
      #expect(waits.personID == ben.id && waits.state == "conflict")
      try await home.sync(full: true)
      #expect(try await home.queue().first { $0.id == activity.id }?.waitsFor == waits)
    }
  }

  @Test func whatIsRecordedOfALostPersonIsNotSentUnderTheIdOfAnother() async throws {
    try await self.withoutBen(isGiven: true) { home, ben, _ in
      #expect(try await home.sync(full: true).conflicts == 1)
      let note = try await home.note(ben, "of Ben")
      try await home.sync(full: true)
      #expect(home.server.rows(.note).isEmpty)
      #expect(try await home.get(Note.self, note.id).personID == ben.id)
      try await home.resolve(ben.id, keep: "local")
      try await home.sync(full: true)
      let there = try await home.get(Person.self, ben.id).monicaID
      #expect(home.server.rows(.note).map(\.owner) == [there])
    }
  }

  /// It is sent before kithd has read that the server lost Ben.
  @Test(arguments: [RecordKind.note, .call, .activity])
  func whatWasSentUnderTheIdOfAnotherStaysBens(_ kind: RecordKind) async throws {
    try await self.withoutBen(isGiven: true) { home, ben, there in
      let ann = try await home.person("Ann")
      try await home.sync(pushOnly: true)
      switch kind {
      case .note: try await home.note(ben, "of Ben")
      case .call: try await home.call(ben, "of Ben")
      default:
        _ = try await home.create(
          Activity.with {
            $0.summary = "of Ben"
            $0.happenedOn = "2026-01-02"
            $0.participants = [ben.id, ann.id]
          })
      }
      func people() async throws -> [Set<String>] {
        switch kind {
        case .note: try await home.all(Note.self).map { [$0.personID] }
        case .call: try await home.all(Call.self).map { [$0.personID] }
        default: try await home.all(Activity.self).map { Set($0.participants) }
        }
      }
      try await home.sync(pushOnly: true)
      #expect(home.server.rows(kind).count == 1)
      #expect(try await home.sync(full: true).conflicts == 2)
      #expect(try await people().contains { $0.contains(ben.id) })
      try await home.resolve(ben.id, keep: "local")
      try await home.sync(full: true)
      if let open = try await home.conflicts().first { try await home.resolve(open.id, keep: "local") }
      try await home.sync(full: true)
      let new = try await home.get(Person.self, ben.id).monicaID
      #expect(home.server.rows(kind).contains { $0.owner == new || $0.others.contains(new) })
      #expect(try await home.conflicts().isEmpty)
      #expect(try await people().count { $0.contains(ben.id) } == 1)
    }
  }

  /// What is Quinn's and was read under Ben's name goes to Quinn.
  @Test func whatOthersWroteOfTheOtherIsNotBens() async throws {
    try await self.withoutBen(isGiven: true) { home, ben, there in
      home.server.make(.note(Note.with { $0.body = "of Quinn" }), owner: there)
      try await home.engine.refresh(person: ben.id)
      try await home.sync(full: true)
      try await home.sync(full: true)
      let quinn = try #require(try await home.all(Person.self).first { $0.firstName == "Quinn" })
      #expect(try await home.all(Note.self).map(\.personID) == [quinn.id])
    }
  }

  @Test func thoseWhoseIdsWereGivenAgainCountAsLostToo() async throws {
    try await SyncHome.withNotes(16) { home, ann, there in
      for id in there.prefix(8) {
        home.server.edit(.note, id) { row in
          row.note.body = "another"
          row.note.createdAt.seconds += 9000
        }
      }
      for id in there.suffix(8) { home.server.remove(.note, id) }
      let status = try await home.sync(full: true)
      #expect(status.conflicts == 16 && status.sync.deleted == 0)
      #expect(try await home.all(Note.self).count == 24)
    }
  }

  @Test func theLastSingleDecisionEndsNoHold() async throws {
    try await SyncHome.withNotes(25) { home, ann, there in
      for id in there.prefix(11) { home.server.remove(.note, id) }
      #expect(try await home.sync(full: true).conflicts == 11)
      try await home.resolveDeletions(keep: "local")
      try await home.sync(full: true)
      home.server.remove(.note, there[11])
      #expect(try await home.sync(full: true).conflicts == 1)
      try await home.resolve(try #require(try await home.conflicts().first).id, keep: "server")
      for id in there[12..<14] { home.server.remove(.note, id) }
      let status = try await home.sync(full: true)
      #expect(status.conflicts == 2 && status.sync.deleted == 0)
    }
  }

  @Test(arguments: ["lost", "given again"])
  func whatWasWrittenOnTheWebOutlivesThatTheServerLosesIt(_ way: String) async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let note = try #require(try await home.all(Note.self).first)
      try await home.update(Note.self, note.id) { $0.body = "mine" }
      home.server.edit(.note, there[0]) { $0.note.body = "yours" }
      #expect(try await home.sync(full: true).conflicts == 1)
      if way == "lost" {
        home.server.remove(.note, there[0])
      } else {
        home.server.edit(.note, there[0]) { row in
          row.note.body = "another"
          row.note.createdAt.seconds += 9000
        }
      }
      #expect(try await home.sync(full: true).conflicts == 1)
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.id == note.id && conflict.server?.text == "yours" && conflict.local.text == "mine")
      try await home.resolve(note.id, keep: "local")
      try await home.sync(full: true)
      if let lost = try await home.conflicts().first { try await home.resolve(lost.id, keep: "local") }
      try await home.sync(full: true)
      #expect(home.server.texts(.note).contains("mine"))
      #expect(try await home.conflicts().isEmpty)
    }
  }

  @Test func aDecisionOnAPersonLeavesWhatWasWrittenOnTheWebOfTheirs() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let note = try #require(try await home.all(Note.self).first)
      try await home.update(Note.self, note.id) { $0.body = "mine" }
      home.server.edit(.note, there[0]) { $0.note.body = "yours" }
      try await home.sync(full: true)
      home.server.remove(.person, try await home.get(Person.self, ann.id).monicaID)
      #expect(try await home.sync(full: true).conflicts == 2)
      try await home.resolve(ann.id, keep: "local")
      try await home.sync(full: true)
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.id == note.id && conflict.server?.text == "yours" && conflict.local.text == "mine")
      try await home.resolve(note.id, keep: "local")
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(home.server.texts(.note) == ["mine"])
    }
  }

  @Test(arguments: ["lost", "given again"])
  func whatWasWrittenOnTheWebOutlivesADeletionHere(_ way: String) async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let note = try #require(try await home.all(Note.self).first)
      try await home.delete(Note.self, note.id)
      home.server.edit(.note, there[0]) { $0.note.body = "yours" }
      #expect(try await home.sync(full: true).conflicts == 1)
      if way == "lost" {
        home.server.remove(.note, there[0])
      } else {
        home.server.edit(.note, there[0]) { row in
          row.note.body = "another"
          row.note.createdAt.seconds += 9000
        }
      }
      #expect(try await home.sync(full: true).conflicts == 0)
      try await home.restore(Note.self, note.id)
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.id == note.id && conflict.server?.text == "yours")
    }
  }

  @Test func aConflictOfADeletedPersonRestsUntilTheyComeBack() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let note = try #require(try await home.all(Note.self).first)
      try await home.update(Note.self, note.id) { $0.body = "mine" }
      home.server.edit(.note, there[0]) { $0.note.body = "yours" }
      #expect(try await home.sync(full: true).conflicts == 1)
      try await home.delete(Person.self, ann.id)
      try await home.sync(full: true)
      #expect(home.server.rows(.person).isEmpty)
      let status = try await home.status()
      #expect(try await home.conflicts().isEmpty)
      #expect(try await home.queue().isEmpty)
      #expect(status.conflicts == 0 && status.pending == 0)
      try await home.restore(Person.self, ann.id)
      #expect(try await home.sync(full: true).conflicts == 1)
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.server?.text == "yours" && conflict.local.text == "mine")
      try await home.resolve(note.id, keep: "server")
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(home.server.texts(.note) == ["yours"])
    }
  }

  @Test func aPassThatWasInterruptedLooksAgainForWhatTheServerLacked() async throws {
    try await SyncHome.withNotes(3) { home, ann, there in
      let (full, notes) = (home.server.backup(), Set(try await home.all(Note.self).map(\.id)))
      home.server.remove(.note, there[0])
      home.server.state.withLock { $0.failing = "pull task" }
      #expect(try await home.sync(full: true).sync.state == .error)
      home.server.restore(full)
      home.pass(30 * SyncHome.minute)
      let status = try await home.sync(full: true)
      #expect(status.sync.deleted == 0 && status.conflicts == 0)
      #expect(Set(try await home.all(Note.self).map(\.id)) == notes)
    }
  }
}
