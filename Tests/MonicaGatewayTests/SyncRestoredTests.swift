import Bus
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// A server that lacks records: it was restored from a backup of before, or somebody deleted them on the web.
@Suite(.timeLimit(.minutes(5))) struct SyncRestoredTests {
  /// Ann, and Ben with twelve notes, whom the server has lost.
  private func withoutBen(
    _ work: (SyncHome, _ ann: Person, _ ben: Person, _ notes: [Note]) async throws -> Void
  ) async throws {
    try await SyncHome.with { home in
      let (ann, ben) = (try await home.person("Ann"), try await home.person("Ben"))
      try await home.sync()
      var notes: [Note] = []
      for number in 0..<12 { notes.append(try await home.note(ben, "note \(number)")) }
      try await home.sync()
      home.server.remove(.person, try await home.get(Person.self, ben.id).monicaID)
      try await home.sync(full: true)
      try await work(home, ann, ben, notes)
    }
  }

  @Test func oneDecisionDeletesLostPeopleWithAllThatIsTheirs() async throws {
    try await self.withoutBen { home, ann, ben, notes in
      #expect(try await home.conflicts().count == 13)
      let resolved = try await home.resolveDeletions(keep: "server")
      #expect(Set(resolved.map(\.state)) == ["synced"])
      #expect(try await home.conflicts().isEmpty)
      #expect(try await home.queue().isEmpty)
      #expect(try await home.all(Note.self).isEmpty)
      #expect(try await home.all(Person.self).map(\.id) == [ann.id])
    }
  }

  @Test func aLostPersonWhoIsDeletedHereLeavesNoConflict() async throws {
    try await self.withoutBen { home, ann, ben, notes in
      try await home.delete(Person.self, ben.id)
      #expect(try await home.conflicts().isEmpty)
      #expect(try await home.queue().isEmpty)
    }
  }

  @Test(arguments: ["new", "edited"])
  func oneDecisionLosesNothingThatTheServerNeverHad(_ change: String) async throws {
    try await self.withoutBen { home, ann, ben, notes in
      switch change {
      case "new": try await home.note(ben, "since")
      default: try await home.update(Note.self, notes[3].id) { $0.body = "since" }
      }
      let count = try await home.all(Note.self).count
      #expect(try await home.resolveDeletions(keep: "server").isEmpty)
      // Ben waits, and so does all that is Ben's.
      #expect(try await home.all(Note.self).count == count)
      #expect(try await home.all(Person.self).count == 2)
      #expect(try await home.conflicts().count == 13)
      try await home.resolve(ben.id, keep: "local")
      try await home.sync(full: true)
      #expect(home.server.rows(.note).count == count && home.server.texts(.note).contains("since"))
      #expect(try await home.conflicts().isEmpty)
    }
  }

  @Test func anActivityOfTwoLostPeopleThatWasMadeHereKeepsBoth() async throws {
    try await self.withoutBen { home, ann, ben, notes in
      home.server.remove(.person, try await home.get(Person.self, ann.id).monicaID)
      try await home.sync(full: true)
      _ = try await home.create(
        Activity.with {
          $0.summary = "Walk"
          $0.happenedOn = "2026-01-02"
          $0.participants = [ann.id, ben.id]
        })
      #expect(try await home.resolveDeletions(keep: "server").isEmpty)
      #expect(Set(try await home.all(Person.self).map(\.id)) == [ann.id, ben.id])
    }
  }

  @Test func whatWasNotChangedGoesThoughTheServerHasGivenItsIdToAnother() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let note = try await home.note(ann, "base")
      try await home.sync(full: true)
      let there = try await home.get(Note.self, note.id).monicaID
      home.server.edit(.note, there) { row in
        row.note.body = "another"
        row.note.createdAt.seconds += 9000
      }
      #expect(try await home.sync(full: true).conflicts == 1)
      #expect(try await home.resolveDeletions(keep: "server").count == 1)
      #expect(try await home.all(Note.self).map(\.body) == ["another"])
    }
  }

  @Test func whatIsRestoredAndWhoseCreationLosesItsAnswerIsNeitherInConflictNorThereTwice() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let note = try await home.note(ann, "hello")
      try await home.sync()
      try await home.delete(Note.self, note.id)
      try await home.sync()
      #expect(home.server.rows(.note).isEmpty)
      try await home.restore(Note.self, note.id)
      home.server.fail([.lostAnswer])
      try await home.sync(pushOnly: true)
      // The server may still be at it, so that it is read first.
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(home.server.texts(.note) == ["hello"])
      home.pass(SyncHome.minute)
      #expect(try await home.sync(full: true).pending == 0)
      #expect(home.server.texts(.note) == ["hello"])
      #expect(try await home.all(Note.self).map(\.id) == [note.id])
    }
  }

  @Test(arguments: ["base", "new"])
  func whatGetsTheIdOfALostRecordWhenItIsSentIsAnotherRecord(_ text: String) async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let note = try await home.note(ann, "base")
      try await home.sync(full: true)
      // The server was restored to a time before the note, and gives its id again before kithd has read that it is gone.
      home.server.remove(.note, try await home.get(Note.self, note.id).monicaID)
      home.server.state.withLock { $0.lastID -= 1 }
      let new = try await home.note(ann, text)
      #expect(try await home.sync(pushOnly: true).conflicts == 1)
      #expect(Set(try await home.all(Note.self).map(\.id)) == [note.id, new.id])
      try await home.resolve(note.id, keep: "local")
      try await home.sync(full: true)
      #expect(home.server.texts(.note) == [text, "base"].sorted())
      #expect(Set(try await home.all(Note.self).map(\.id)) == [note.id, new.id])
    }
  }

  // MARK: - What the server has again

  @Test func whatTheServerHasAgainIsNoConflictAndIsNotSentASecondTime() async throws {
    try await SyncHome.withNotes(12) { home, ann, there in
      for number in 0..<3 { try await home.call(ann, "call \(number)") }
      try await home.sync(full: true)
      let (full, notes) = (home.server.backup(), try await home.all(Note.self))
      home.server.remove(.person, try await home.get(Person.self, ann.id).monicaID)
      #expect(try await home.sync(full: true).conflicts == 16)
      // Of those that wait, one is edited here.
      try await home.update(Note.self, notes[0].id) { $0.body = "edited" }
      home.server.restore(full)
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(try await home.sync().pending == 0)
      try await home.resolveDeletions(keep: "local")
      try await home.sync(full: true)
      #expect(home.server.rows(.note).map(\.monicaID) == there && home.server.rows(.call).count == 3)
      #expect(home.server.texts(.note).contains("edited"))
      #expect(try await home.all(Note.self).count == 12)
    }
  }

  @Test func whatTheServerHasAgainWithOtherWordsIsAConflictOfBothSides() async throws {
    try await SyncHome.withNotes(12) { home, ann, there in
      let full = home.server.backup()
      for id in there { home.server.remove(.note, id) }
      #expect(try await home.sync(full: true).conflicts == 12)
      let lost = try await home.conflicts()[0]
      try await home.update(Note.self, lost.id) { $0.body = "here" }
      home.server.restore(full)
      home.server.edit(.note, try await home.get(Note.self, lost.id).monicaID) { $0.note.body = "there" }
      #expect(try await home.sync(full: true).conflicts == 1)
      let conflict = try await home.conflicts()[0]
      #expect(conflict.id == lost.id && conflict.server?.text == "there" && conflict.local.text == "here")
    }
  }

  @Test func aPersonWhomTheServerHasAgainIsThereAgainOnce() async throws {
    try await SyncHome.withNotes(2) { home, ann, there in
      let full = home.server.backup()
      home.server.remove(.person, try await home.get(Person.self, ann.id).monicaID)
      #expect(try await home.sync(full: true).sync.deleted == 1)
      #expect(try await home.all(Person.self).isEmpty)
      home.server.restore(full)
      try await home.sync(full: true)
      #expect(try await home.all(Person.self).map(\.id) == [ann.id])
      #expect(try await home.all(Note.self).map(\.body).sorted() == ["note 0", "note 1"])
      #expect(try await home.status().pending == 0)
      #expect(home.server.rows(.person).count == 1 && home.server.rows(.note).count == 2)
    }
  }

  @Test func aPersonWhoWasDeletedHereStaysDeletedThoughTheServerHasThemAgain() async throws {
    try await SyncHome.withNotes(2) { home, ann, there in
      let full = home.server.backup()
      try await home.delete(Person.self, ann.id)
      try await home.sync(full: true)
      home.server.restore(full)
      try await home.sync(full: true)
      #expect(try await home.all(Person.self).isEmpty)
    }
  }

  @Test func aPersonWhoWasLostAndThenDeletedHereStaysDeletedToo() async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let full = home.server.backup()
      let there = try await home.get(Person.self, ann.id).monicaID
      home.server.edit(.person, there) { row in
        row.person.firstName = "Zoe"
        row.person.createdAt.seconds += 9000
        row.clientID = "00000000-0000-4000-8000-000000000001"
      }
      #expect(try await home.sync(full: true).conflicts == 1)
      try await home.delete(Person.self, ann.id)
      home.server.restore(full)
      home.server.makePerson("Ben")
      try await home.sync(full: true)
      #expect(!(try await home.all(Person.self).map(\.firstName)).contains("Ann"))
    }
  }

  // MARK: - What is asked about

  @Test func fewOfEachListAreManyTogether() async throws {
    try await SyncHome.withNotes(6) { home, ann, there in
      for number in 0..<5 { try await home.call(ann, "call \(number)") }
      try await home.sync(full: true)
      for id in there { home.server.remove(.note, id) }
      for row in home.server.rows(.call) { home.server.remove(.call, row.monicaID) }
      #expect(try await home.sync(full: true).conflicts == 11)
      #expect(try await home.all(Note.self).count == 6)
      #expect(try await home.all(Call.self).count == 5)
    }
  }

  @Test func tenGoAtOnceAndLieInTheTrash() async throws {
    try await SyncHome.withNotes(12) { home, ann, there in
      for id in there.prefix(10) { home.server.remove(.note, id) }
      let status = try await home.sync(full: true)
      #expect(status.conflicts == 0 && status.sync.deleted == 10)
      #expect(try await home.all(Note.self).count == 2)
      #expect(try await home.all(Note.self, deleted: true).count == 12)
    }
  }

  @Test func detailsOfPeopleAreAskedAboutAsWell() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      for number in 0..<11 {
        _ = try await home.create(
          PersonAddress.with {
            $0.personID = ann.id
            $0.street = "\(number) Main Street"
          })
      }
      try await home.sync(full: true)
      for row in home.server.rows(.address) { home.server.remove(.address, row.monicaID) }
      #expect(try await home.sync(full: true).conflicts == 11)
      #expect(try await home.all(PersonAddress.self).count == 11)
    }
  }

  @Test func refreshesTakeNoMoreThanAReadingDoes() async throws {
    try await SyncHome.withNotes(6) { home, ann, there in
      let ben = try await home.person("Ben")
      try await home.sync()
      for number in 0..<6 { try await home.note(ben, "of Ben \(number)") }
      try await home.sync(full: true)
      for row in home.server.rows(.note) { home.server.remove(.note, row.monicaID) }
      try await home.engine.refresh(person: ann.id)
      #expect(try await home.all(Note.self).count == 6)
      try await home.engine.refresh(person: ben.id)
      #expect(try await home.all(Note.self).count == 6)
      #expect(try await home.conflicts().count == 6)
    }
  }

  @Test func aPersonWhoIsMissingWithMuchIsAskedAboutInARefresh() async throws {
    try await SyncHome.withNotes(11) { home, ann, there in
      home.server.remove(.person, try await home.get(Person.self, ann.id).monicaID)
      try await home.engine.refresh(person: ann.id)
      #expect(try await home.conflicts().map(\.id) == [ann.id])
      #expect(try await home.all(Note.self).count == 11)
    }
  }

  @Test func readingsEndTheHoldAndNoClockDoes() async throws {
    try await SyncHome.withNotes(16) { home, ann, there in
      for id in there.prefix(11) { home.server.remove(.note, id) }
      #expect(try await home.sync(full: true).conflicts == 11)
      try await home.resolveDeletions(keep: "local")
      try await home.sync(full: true)
      #expect(try await home.conflicts().isEmpty)
      // The clock is set a week forward, and back, and on again: none of these is a day of readings.
      let week = 7 * 24 * 60 * SyncHome.minute
      for (step, id) in zip([week, -week, week], there.suffix(5)) {
        home.setClock(by: step)
        home.server.remove(.note, id)
        let status = try await home.sync(full: true)
        #expect(status.conflicts == 1 && status.sync.deleted == 0, "after a step of \(step)")
        try await home.resolve(try await home.conflicts()[0].id, keep: "local")
        try await home.sync(full: true)
      }
      for _ in 0..<2 {
        home.pass(DeletionGap.twelveHours)
        try await home.sync(full: true)
      }
      home.server.remove(.note, there[15])
      let status = try await home.sync(full: true)
      #expect(status.conflicts == 0 && status.sync.deleted == 1)
    }
  }

  @Test(arguments: ["all", "one"])
  func aPersonWhoDeletesThemIsNotAskedAboutTheNextOne(_ way: String) async throws {
    try await SyncHome.withNotes(2) { home, ann, there in
      let ben = try await home.person("Ben")
      try await home.sync()
      for number in 0..<11 { try await home.note(ben, "of Ben \(number)") }
      try await home.sync(full: true)
      home.server.remove(.person, try await home.get(Person.self, ben.id).monicaID)
      #expect(try await home.sync(full: true).conflicts == 12)
      if way == "all" {
        try await home.resolveDeletions(keep: "server")
      } else {
        try await home.resolve(ben.id, keep: "server")
      }
      home.server.remove(.note, there[0])
      let status = try await home.sync(full: true)
      #expect(status.conflicts == 0 && status.sync.deleted == 1)
    }
  }

  @Test func whileManyWaitTheNextOneIsAskedAboutToo() async throws {
    try await SyncHome.withNotes(13) { home, ann, there in
      for id in there.prefix(11) { home.server.remove(.note, id) }
      try await home.sync(full: true)
      for _ in 0..<3 {
        home.pass(DeletionGap.twelveHours)
        try await home.sync(full: true)
      }
      home.server.remove(.note, there[12])
      #expect(try await home.sync(full: true).conflicts == 12)
    }
  }

  /// A detail is in no list of its own: only a person who is read brings what is missing.
  @Test func whatWasMissedBeforeAKillIsMissedAgain() async throws {
    try await SyncHome.with { home in
      let people = (0..<30).map { home.server.makePerson("Person \($0)") }
      home.server.make(.address(.with { $0.street = "Main Street" }), owner: people[0])
      try await home.sync(full: true)
      #expect(try await home.all(PersonAddress.self).count == 1)
      home.server.remove(.address, home.server.rows(.address)[0].monicaID)
      // The list of people is read; that of activities is not.
      home.server.state.withLock { $0.failing = "pull activity" }
      #expect(try await home.sync().sync.state == .error)
      #expect(try await home.all(PersonAddress.self).count == 1)
      try await home.crash()
      try await home.sync()
      #expect(try await home.all(PersonAddress.self).isEmpty)
    }
  }
}

/// The shortest time between two readings that count towards the end of a hold.
private enum DeletionGap {
  static let twelveHours = 12 * 60 * SyncHome.minute
}
