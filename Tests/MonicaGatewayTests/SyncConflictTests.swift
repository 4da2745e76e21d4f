import Bus
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Records that were changed here and on the server.
@Suite(.timeLimit(.minutes(5))) struct SyncConflictTests {
  /// A note that both sides have.
  private func with(
    _ work: (SyncHome, _ note: Note, _ there: UInt64) async throws -> Void
  ) async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    try await home.sync()
    let note = try await home.note(ann, "base")
    try await home.sync()
    try await work(home, note, try await home.get(Note.self, note.id).monicaID)
    await home.close()
  }

  private func edit(_ home: SyncHome, _ note: Note, _ body: String) async throws {
    try await home.update(Note.self, note.id) { $0.body = body }
  }

  @Test(arguments: [false, true])
  func whatGetsTheIDOfARecordOnTheServerIsAnotherRecord(isEditedHere: Bool) async throws {
    try await self.with { home, note, there in
      let ben = try await home.person("Ben")
      try await home.sync()
      func made(_ seconds: Int64) {
        home.server.edit(.note, there) { $0.note.createdAt = .with { $0.seconds = seconds } }
      }
      made(1_700_000_000)
      try await home.sync(full: true)
      if isEditedHere { try await home.update(Note.self, note.id) { $0.isFavorite = true } }
      // The server was restored to a time before the note, and gave its id again.
      let owner = try await home.get(Person.self, ben.id).monicaID
      home.server.edit(.note, there) { row in
        row.owner = owner
        row.note.body = "of Ben"
      }
      made(1_700_009_000)
      #expect(try await home.sync(full: true).conflicts == 1)
      #expect(try await home.get(Note.self, note.id).body == "base")
      #expect(
        home.server.rows(.note).map(\.note.body) == ["of Ben"] && home.server.rows(.note)[0].note.isFavorite == false)
      try await home.resolve(note.id, keep: "local")
      try await home.sync(full: true)
      #expect(Set(home.server.rows(.note).map(\.note.body)) == ["base", "of Ben"])
      #expect(try await home.all(Note.self).count == 2)
    }
  }

  @Test func whatIsDeletedThereGoesOnceAChangeOfItsPersonHasArrived() async throws {
    try await self.with { home, note, there in
      let ann = try #require(try await home.all(Person.self).first)
      try await home.update(Person.self, ann.id) { $0.job = "Baker" }
      home.server.remove(.note, there)
      home.server.fail([.trouble])
      let early = try await home.sync(full: true)
      #expect(early.conflicts == 0 && early.pending == 1)
      #expect(try await home.all(Note.self).map(\.id) == [note.id])
      home.pass(SyncHome.minute)
      let late = try await home.sync()
      #expect(late.conflicts == 0 && late.pending == 0)
      #expect(try await home.all(Note.self).isEmpty)
    }
  }

  @Test func fieldsThatDoNotOverlapAreBroughtTogether() async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    try await home.sync()
    let id = try await home.get(Person.self, ann.id).monicaID
    try await home.update(Person.self, ann.id) { $0.job = "Baker" }
    home.server.edit(.person, id) { $0.person.company = "Crumb" }
    #expect(try await home.sync().conflicts == 0)
    let merged = try await home.get(Person.self, ann.id)
    #expect(merged.job == "Baker" && merged.company == "Crumb" && merged.syncState == "synced")
    #expect(home.server.rows(.person)[0].person.job == "Baker")
    await home.close()
  }

  @Test func whatIsSettledOfSomebodyWhoIsDeletedStaysDeleted() async throws {
    let home = try await SyncHome()
    // One after the other: a relationship is kept from the side of the person whom the server knew first.
    let ann = try await home.person("Ann")
    try await home.sync()
    let bea = try await home.person("Bea")
    try await home.sync()
    let relationship = try await home.create(
      Relationship.with {
        $0.personID = ann.id
        $0.otherID = bea.id
        $0.type = "parent"
      })
    try await home.sync()
    try await home.update(Relationship.self, relationship.id) { $0.type = "child" }
    home.server.fail([.lostAnswer])
    try await home.sync(pushOnly: true)
    try await home.delete(Person.self, ann.id)
    home.pass(SyncHome.minute)
    home.server.fail([nil, .trouble])
    #expect(try await home.sync(pushOnly: true).conflicts == 1)
    try await home.resolve(relationship.id, keep: "server")
    home.pass(SyncHome.minute)
    #expect(try await home.sync(full: true).pending == 0)
    #expect(home.server.rows(.relationship).isEmpty)
    #expect(try await home.all(Relationship.self).isEmpty)
    #expect(try await home.queue().isEmpty)
    await home.close()
  }

  @Test func whoIsMadeAgainOnTheServerSettlesTheConflictsOfTheirRecords() async throws {
    try await self.with { home, note, there in
      let ann = try #require(try await home.all(Person.self).first)
      try await self.edit(home, note, "mine")
      try await home.update(Person.self, ann.id) { $0.job = "Baker" }
      home.server.remove(.person, ann.monicaID)
      #expect(try await home.sync(full: true).conflicts == 2)
      try await home.resolve(ann.id, keep: "local")
      await home.rest()
      // It exists again by now; resolving the conflict again would create it a second time.
      let failure = await #expect(throws: Failure.self) { try await home.resolve(note.id, keep: "local") }
      #expect(failure?.reason == "RECORD_UNKNOWN")
      #expect(try await home.sync(full: true).pending == 0)
      #expect(home.server.texts(.note) == ["mine"] && home.server.texts(.person) == ["Ann"])
      #expect(try await home.all(Note.self).map(\.id) == [note.id])
    }
  }

  @Test func aTagThatWasRefusedIsOneWithThatWhichTheServerHasByNow() async throws {
    let home = try await SyncHome()
    let tag = try await home.create(Tag.with { $0.name = "REFUSE" })
    #expect(try await home.sync().failed == 1)
    // A person with this tag was sent, and the server created the tag.
    home.server.make(.tag(Tag.with { $0.name = "Refuse" }))
    #expect(try await home.sync().failed == 0)
    let tags = try await home.all(Tag.self)
    #expect(tags.map(\.id) == [tag.id] && tags.first?.name == "Refuse" && tags.first?.syncState == "synced")
    await home.close()
  }

  @Test func textsThatWereWrittenOnAreJoined() async throws {
    try await self.with { home, note, there in
      try await self.edit(home, note, "base here")
      home.server.edit(.note, there) { $0.note.body = "base there" }
      #expect(try await home.sync().conflicts == 0)
      #expect(try await home.get(Note.self, note.id).body == "base there here")
      #expect(home.server.texts(.note) == ["base there here"])
    }
  }

  @Test func textsThatWereRewrittenAreShownToPeople() async throws {
    try await self.with { home, note, there in
      try await self.edit(home, note, "mine")
      home.server.edit(.note, there) { $0.note.body = "yours" }
      let status = try await home.sync()
      #expect(status.conflicts == 1 && status.sync.conflicts == 1 && status.sync.state == .completed)
      #expect(try await home.get(Note.self, note.id).syncState == "conflict")
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.id == note.id && conflict.local.text == "mine" && conflict.server?.text == "yours")
      #expect(conflict.base?.text == "base")
      _ = home.server.takeRequests()
      #expect(try await home.sync().conflicts == 1)
      #expect(try await home.conflicts().first?.foundAt == conflict.foundAt, "it is found once")
      #expect(!home.server.takeRequests().contains { $0.hasPrefix("push") })
    }
  }

  @Test(arguments: [("local", "mine"), ("server", "yours"), ("merge", "mine")])
  func aPersonSettlesIt(_ keep: String, _ result: String) async throws {
    try await self.with { home, note, there in
      try await self.edit(home, note, "mine")
      home.server.edit(.note, there) { note in
        note.note.body = "yours"
        note.note.isFavorite = true
      }
      try await home.sync()
      let entry = try #require(try await home.resolve(note.id, keep: keep).first)
      #expect(entry.state == (keep == "server" ? "synced" : "pending"))
      await home.rest()
      #expect(try await home.sync().pending == 0)
      #expect(home.server.texts(.note) == [result])
      let settled = try await home.get(Note.self, note.id)
      #expect(settled.body == result && settled.isFavorite == (keep != "local") && settled.syncState == "synced")
    }
  }

  @Test func eachFieldMayHaveAnotherSide() async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    try await home.sync()
    let id = try await home.get(Person.self, ann.id).monicaID
    try await home.update(Person.self, ann.id) { person in
      person.lastName = "Lee"
      person.job = "Baker"
      person.company = "Crumb"
    }
    home.server.edit(.person, id) { row in
      row.person.lastName = "Li"
      row.person.job = "Cook"
      row.person.nickname = "Annie"
    }
    try await home.sync()
    for (fields, field) in [(["job": "both"], "fields.job"), (["id": "local"], "fields.id")] {
      let failure = await #expect(throws: Failure.self) { try await home.resolve(ann.id, keep: "merge", fields) }
      #expect(failure?.status.details[field] != nil)
    }
    for (keep, fields) in [("both", [:]), ("", [:]), ("local", ["job": "local"])] {
      await #expect(throws: Failure.self) { try await home.resolve(ann.id, keep: keep, fields) }
    }
    try await home.resolve(ann.id, keep: "merge", ["last_name": "server", "nickname": "local"])
    await home.rest()
    try await home.sync()
    let settled = try await home.get(Person.self, ann.id)
    #expect(settled.lastName == "Li" && settled.job == "Baker" && settled.company == "Crumb")
    #expect(settled.nickname.isEmpty && home.server.rows(.person)[0].person.job == "Baker")
    await home.close()
  }

  @Test(arguments: ["local", "server"])
  func changedHereAndDeletedThere(_ keep: String) async throws {
    try await self.with { home, note, there in
      try await self.edit(home, note, "mine")
      home.server.remove(.note, there)
      #expect(try await home.sync().conflicts == 1)
      #expect(try await home.conflicts().first?.server == nil)
      await #expect(throws: Failure.self) { try await home.resolve(note.id, keep: "merge") }
      try await home.resolve(note.id, keep: keep)
      await home.rest()
      try await home.sync()
      #expect(home.server.texts(.note) == (keep == "local" ? ["mine"] : []))
      #expect(try await home.all(Note.self).map(\.body) == (keep == "local" ? ["mine"] : []))
    }
  }

  @Test(arguments: ["local", "server"])
  func deletedHereAndChangedThere(_ keep: String) async throws {
    try await self.with { home, note, there in
      try await home.delete(Note.self, note.id)
      home.server.edit(.note, there) { $0.note.body = "yours" }
      #expect(try await home.sync().conflicts == 1)
      #expect(try await home.conflicts().first?.isDeletedHere == true)
      try await home.resolve(note.id, keep: keep)
      await home.rest()
      try await home.sync()
      #expect(home.server.texts(.note) == (keep == "server" ? ["yours"] : []))
      #expect(try await home.all(Note.self).map(\.body) == (keep == "server" ? ["yours"] : []))
    }
  }

  @Test func deletedOnBothSidesIsDeleted() async throws {
    try await self.with { home, note, there in
      try await home.delete(Note.self, note.id)
      home.server.remove(.note, there)
      let status = try await home.sync()
      #expect(status.conflicts == 0 && status.pending == 0)
      #expect(try await home.all(Note.self).isEmpty)
    }
  }

  @Test func whatTheServerKeepsChangingIsSentInTheEnd() async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    try await home.sync()
    let id = try await home.get(Person.self, ann.id).monicaID
    // Nothing was read since: the change meets another version on the server, and is merged with it.
    home.server.edit(.person, id) { $0.person.company = "Crumb" }
    try await home.update(Person.self, ann.id) { $0.job = "Baker" }
    let status = try await home.sync(pushOnly: true)
    #expect(status.pending == 0 && status.conflicts == 0)
    let row = home.server.rows(.person)[0].person
    #expect(row.job == "Baker" && row.company == "Crumb")
    #expect(home.server.takeRequests().count { $0 == "push update person" } == 2)
    await home.close()
  }

  @Test func aCallWhoseDetailsWereRemovedOnTheWebKeepsThem() async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    let call = try await home.create(
      Call.with { call in
        call.personID = ann.id
        call.note = "hi"
        call.durationMinutes = 12
        call.emotion = "happy"
        call.tags = ["plan"]
        call.calledAt = .init(seconds: 1_600_000_000)
        call.attachments = [.with { $0.sha256 = String(repeating: "ab", count: 32) }]
      })
    try await home.sync()
    let there = try await home.get(Call.self, call.id).monicaID
    home.server.web { _ = $0.bareCalls.insert(there) }
    home.server.edit(.call, there) { $0.call.note = "edited" }
    try await home.sync()
    let read = try await home.get(Call.self, call.id)
    #expect(read.note == "edited" && read.durationMinutes == 12 && read.emotion == "happy" && read.tags == ["plan"])
    #expect(read.attachments == call.attachments && read.syncState == "synced")
    try await home.update(Call.self, call.id) { $0.durationMinutes = 20 }
    try await home.sync()
    #expect(home.server.rows(.call)[0].call.durationMinutes == 20)
    await home.close()
  }

  @Test func messagesKeepTheirIds() async throws {
    let home = try await SyncHome()
    let ann = try await home.person("Ann")
    let made = try await home.create(
      Conversation.with { conversation in
        conversation.personID = ann.id
        conversation.channel = "text"
        conversation.happenedAt = .init(seconds: 1_600_000_000)
        conversation.messages = [
          .with {
            $0.id = "first"; $0.content = "hi"; $0.writtenAt = .init(seconds: 1_600_000_000)
          }
        ]
      })
    try await home.sync()
    let there = try await home.get(Conversation.self, made.id).monicaID
    try await home.update(Conversation.self, made.id) { conversation in
      conversation.messages.append(
        .with {
          $0.id = "mine"; $0.content = "more"; $0.writtenAt = .init(seconds: 1_600_000_001)
        })
    }
    home.server.edit(.conversation, there) { row in
      row.conversation.messages.append(
        .with {
          $0.content = "theirs"; $0.writtenAt = .init(seconds: 1_600_000_002)
        })
    }
    #expect(try await home.sync().conflicts == 0)
    let messages = try await home.get(Conversation.self, made.id).messages
    #expect(messages.map(\.content) == ["hi", "more", "theirs"])
    #expect(messages.prefix(2).map(\.id) == ["first", "mine"] && !messages[2].id.isEmpty)
    #expect(messages.allSatisfy { $0.monicaID != 0 })
    #expect(home.server.rows(.conversation)[0].conversation.messages.count == 3)
    await home.close()
  }
}
