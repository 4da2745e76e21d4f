import Bus
import EventLoop
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaGateway
@testable import Storage

/// What the server has lost and has again, as after a restored backup, is the same record as before, and nobody's text is replaced.
@Suite(.timeLimit(.minutes(5))) struct SyncReturnedTests {
  /// Of what was made on the web, the server keeps no id of ours.
  @Test func whatTheServerHasAgainIsThereAgainAsItWas() async throws {
    try await SyncHome.with { home in
      let there = home.server.makePerson("Ann")
      home.server.make(.note(Note.with { $0.body = "of Ann" }), owner: there)
      try await home.sync(full: true)
      let (ann, note) = (try await home.all(Person.self).map(\.id), try await home.all(Note.self).map(\.id))
      let full = home.server.backup()
      home.server.remove(.person, there)
      try await home.sync(full: true)
      #expect(try await home.all(Person.self).isEmpty)
      home.server.restore(full)
      try await home.sync(full: true)
      #expect(try await home.all(Person.self, deleted: true).map(\.id) == ann)
      #expect(try await home.all(Person.self).map(\.id) == ann)
      #expect(try await home.all(Note.self, deleted: true).map(\.id) == note)
      #expect(try await home.all(Note.self).map(\.id) == note)
    }
  }

  @Test(arguments: [RecordKind.note, .call], ["on both sides", "before it was sent again"])
  func whatWasDeletedHereComesBackAsItself(_ kind: RecordKind, _ way: String) async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let id = kind == .note ? try await home.note(ann, "old").id : try await home.call(ann, "old").id
      try await home.sync(full: true)
      let (full, there) = (home.server.backup(), home.server.rows(kind)[0].monicaID)
      if way == "before it was sent again" {
        home.server.remove(kind, there)
        try await home.sync(full: true)
        if kind == .note { try await home.restore(Note.self, id) } else { try await home.restore(Call.self, id) }
      }
      if kind == .note { try await home.delete(Note.self, id) } else { try await home.delete(Call.self, id) }
      try await home.sync(full: true)
      #expect(home.server.rows(kind).isEmpty)
      home.server.restore(full)
      #expect(try await home.sync(full: true).conflicts == 0)
      let ids =
        kind == .note
        ? try await home.all(Note.self, deleted: true).map(\.id)
        : try await home.all(Call.self, deleted: true).map(\.id)
      #expect(ids == [id])
      #expect(try await home.all(Note.self).count + home.all(Call.self).count == 1)
      #expect(home.server.rows(kind).map(\.monicaID) == [there])
    }
  }

  @Test func whatWasEditedAndDeletedHereSinceTheBackupIsAskedAbout() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let (full, note) = (home.server.backup(), try #require(try await home.all(Note.self).first))
      try await home.update(Note.self, note.id) { $0.body = "since" }
      try await home.sync(full: true)
      try await home.delete(Note.self, note.id)
      try await home.sync(full: true)
      home.server.restore(full)
      #expect(try await home.sync(full: true).conflicts == 1)
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.id == note.id && conflict.server?.text == "note 0" && conflict.local.text == "since")
      try await home.resolve(note.id, keep: "local")
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(home.server.rows(.note).isEmpty)
      #expect(try await home.all(Note.self).isEmpty)
    }
  }

  /// The server may only not have deleted the person yet.
  @Test(arguments: ["local", "server"])
  func aPersonWhoWasDeletedHereIsAskedAboutAfterADay(_ keep: String) async throws {
    try await SyncHome.with { home in
      let (there, zoe) = (home.server.makePerson("Ann"), try await home.person("Zoe"))
      home.server.make(.note(Note.with { $0.body = "of Ann" }), owner: there)
      try await home.sync(full: true)
      let ann = try #require(try await home.all(Person.self).first { $0.id != zoe.id })
      let activity = try await home.create(
        Activity.with { ($0.summary, $0.happenedOn, $0.participants) = ("tea", "2026-01-02", [ann.id, zoe.id]) })
      try await home.sync(full: true)
      let full = home.server.backup()
      try await home.delete(Person.self, ann.id)
      try await home.sync(full: true)
      home.server.restore(full)
      #expect(try await home.sync(full: true).sync.state != .error)
      #expect(try await home.all(Person.self).map(\.id) == [zoe.id])
      #expect(try await home.all(Note.self).isEmpty)
      home.pass(25 * 60 * SyncHome.minute)
      #expect(try await home.sync(full: true).conflicts == 1)
      #expect(try await home.all(Person.self).map(\.id) == [zoe.id])
      try await home.resolve(ann.id, keep: keep)
      #expect(try await home.sync(full: true).conflicts == 0)
      try await home.sync(full: true)
      let isBack = keep == "server"
      #expect(Set(try await home.all(Person.self).map(\.id)) == (isBack ? [ann.id, zoe.id] : [zoe.id]))
      #expect(try await home.all(Note.self).map(\.body) == (isBack ? ["of Ann"] : []))
      #expect(home.server.rows(.person).count == (isBack ? 2 : 1))
      if isBack {
        #expect(Set(try await home.get(Activity.self, activity.id).participants) == [ann.id, zoe.id])
        #expect(home.server.rows(.activity).count == 1)
      }
    }
  }

  /// The server tells no time of a relationship that was made on the web.
  @Test(arguments: ["a relationship", "a person"])
  func aRelationshipComesBackOnce(_ what: String) async throws {
    try await SyncHome.with { home in
      let (ann, zoe) = (home.server.makePerson("Ann"), home.server.makePerson("Zoe"))
      // The server makes the other side of it by itself.
      home.server.make(.relationship(.with { $0.type = "parent" }), owner: ann, others: [zoe])
      #expect(home.server.rows(.relationship).count == 2)
      home.server.state.withLock { state in
        for id in (state.rows[.relationship] ?? [:]).keys {
          state.rows[.relationship]?[id]?.relationship.clearCreatedAt()
        }
      }
      try await home.sync(full: true)
      let known = try await home.all(Relationship.self)
      #expect(known.count == 1)
      let (full, there) = (home.server.backup(), Set(home.server.rows(.relationship).map(\.monicaID)))
      let people = try await home.all(Person.self)
      let gone = try #require(people.first { $0.id == known[0].personID })
      if what == "a person" {
        try await home.delete(Person.self, gone.id)
      } else {
        try await home.delete(Relationship.self, known[0].id)
      }
      try await home.sync(full: true)
      home.server.restore(full)
      home.pass(25 * 60 * SyncHome.minute)
      try await home.sync(full: true)
      for conflict in try await home.conflicts() { try await home.resolve(conflict.id, keep: "server") }
      try await home.sync(full: true)
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(try await home.all(Relationship.self).map(\.id) == known.map(\.id))
      #expect(Set(home.server.rows(.relationship).map(\.monicaID)) == there)
    }
  }

  @Test func anEditThatIsInTheTrashOutlivesThatTheServerHasTheRecordAgain() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let (full, note) = (home.server.backup(), try #require(try await home.all(Note.self).first))
      try await home.update(Note.self, note.id) { $0.body = "since" }
      home.server.remove(.note, there[0])
      #expect(try await home.sync(full: true).conflicts == 1)
      try await home.resolve(note.id, keep: "server")
      #expect(try await home.all(Note.self).isEmpty)
      home.server.restore(full)
      #expect(try await home.sync(full: true).conflicts == 1)
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.server?.text == "note 0" && conflict.local.text == "since")
    }
  }

  @Test func aConflictThatRestsIsNotReplacedByAnOlderVersion() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let (full, note) = (home.server.backup(), try #require(try await home.all(Note.self).first))
      try await home.delete(Note.self, note.id)
      home.server.edit(.note, there[0]) { $0.note.body = "yours" }
      #expect(try await home.sync(full: true).conflicts == 1)
      home.server.remove(.note, there[0])
      #expect(try await home.sync(full: true).conflicts == 0)
      home.server.restore(full)
      try await home.sync(full: true)
      try await home.restore(Note.self, note.id)
      #expect(try await home.conflicts().first?.server?.text == "yours")
    }
  }

  /// It is the server's old name, of which nobody knows whether it was changed there since.
  @Test(arguments: [("Friends", false), ("frends", true)])
  func aTagThatWasRenamedHereIsNotRenamedBack(_ name: String, _ isTaken: Bool) {
    let local = LocalRecord(
      row: 1, record: Tag.with { $0.name = name }.any, base: nil, sent: nil, operation: .create, state: .pending,
      stamp: nil, sentAt: nil,
      isDeleted: false, isLost: false, wasOnServer: false, hasLeft: true)
    let server = Tag.with { $0.name = "Frends" }.any
    switch MergeRule(RemoteRecord.with { $0.record = server }, now: 1).read(local, server) {
    case .take: #expect(isTaken)
    case .conflict: #expect(!isTaken)
    default: Issue.record("neither taken nor asked about")
    }
  }

  @Test func aRecordThatGetsItsIdBackIsInConflictNoMore() async throws {
    try await SyncHome.withNotes(1) { home, ann, there in
      let (full, note) = (home.server.backup(), try #require(try await home.all(Note.self).first))
      home.server.edit(.note, there[0]) { row in
        row.note.body = "another"
        row.note.createdAt.seconds += 9000
      }
      #expect(try await home.sync(full: true).conflicts == 1)
      home.server.restore(full)
      // Now the server lacks the other one.
      #expect(try await home.sync(full: true).conflicts == 1)
      #expect(try await home.conflicts().first?.local.text == "another")
      #expect(try await home.all(Note.self).filter { $0.body == "note 0" }.map(\.id) == [note.id])
      #expect(try await home.get(Note.self, note.id).monicaID == there[0])
    }
  }

  @Test(arguments: [RecordKind.note, .call], ["read first", "sent first"])
  func whatWasWrittenHereSinceIsNotReplacedByWhatTheServerHasAgain(_ kind: RecordKind, _ order: String) async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync()
      let id = kind == .note ? try await home.note(ann, "before").id : try await home.call(ann, "before").id
      try await home.sync(full: true)
      let full = home.server.backup()
      home.server.remove(kind, home.server.rows(kind)[0].monicaID)
      try await home.sync(full: true)
      if kind == .note {
        try await home.restore(Note.self, id)
        try await home.update(Note.self, id) { $0.body = "since" }
      } else {
        try await home.restore(Call.self, id)
        try await home.update(Call.self, id) { $0.note = "since" }
      }
      home.server.restore(full)
      if order == "read first" {
        try await home.engine.refresh(person: ann.id)
      } else {
        try await home.sync(pushOnly: true)
        #expect(home.server.rows(kind).count == 1)
      }
      let conflict = try #require(try await home.conflicts().first)
      #expect(conflict.id == id && conflict.server?.text == "before" && conflict.local.text == "since")
      // Whatever happens there meanwhile, a person decides.
      home.server.edit(kind, home.server.rows(kind)[0].monicaID) { $0.text = "later" }
      #expect(try await home.sync(full: true).conflicts == 1)
      #expect(try await home.conflicts().first?.server?.text == "later")
      try await home.resolve(id, keep: "local")
      #expect(try await home.sync(full: true).conflicts == 0)
      #expect(home.server.texts(kind) == ["since"])
    }
  }

  /// No version is known that both sides have had.
  @Test(arguments: ["local", "server", "merge"])
  func aPersonWhomTheServerHasAgainIsComparedFieldByField(_ keep: String) async throws {
    try await SyncHome.with { home in
      let ann = try await home.person("Ann")
      try await home.sync(full: true)
      let (full, there) = (home.server.backup(), try await home.get(Person.self, ann.id).monicaID)
      home.server.remove(.person, there)
      try await home.sync(full: true)
      try await home.restore(Person.self, ann.id)
      try await home.update(Person.self, ann.id) {
        ($0.lastName, $0.job, $0.nickname) = ("Lee", "Baker", "Annie")
      }
      home.server.restore(full)
      home.server.edit(.person, there) {
        ($0.person.lastName, $0.person.job, $0.person.company) = ("Ray", "Cook", "Acme")
      }
      #expect(try await home.sync(full: true).conflicts == 1)
      let shown = Conflict(try #require(try await home.conflicts().first)).fields
      #expect(Set(shown.filter { $0.overlaps }.map { $0.name }) == ["last_name", "job"])
      #expect(Set(shown.filter { !$0.overlaps }.map { $0.name }) == ["nickname", "company"])
      #expect(shown.allSatisfy { $0.base.isEmpty })
      try await home.resolve(ann.id, keep: keep, keep == "merge" ? ["job": "server"] : [:])
      #expect(try await home.sync(full: true).conflicts == 0)
      let row = try #require(home.server.rows(.person).first?.person)
      switch keep {
      case "local": #expect([row.lastName, row.job, row.nickname, row.company] == ["Lee", "Baker", "Annie", ""])
      case "server": #expect([row.lastName, row.job, row.nickname, row.company] == ["Ray", "Cook", "", "Acme"])
      default: #expect([row.lastName, row.job, row.nickname, row.company] == ["Lee", "Cook", "Annie", "Acme"])
      }
      #expect(home.server.rows(.person).map(\.monicaID) == [there])
    }
  }
}
