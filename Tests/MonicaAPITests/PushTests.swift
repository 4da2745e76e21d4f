import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import MonicaAPI

@Suite(
  .enabled(if: MonicaServer.isInstalled, "there is no Tests/servers/monica.py"), .timeLimit(.minutes(2)))
struct PushTests {
  @Test("a record of each kind lives and dies", arguments: [false, true])
  func lives(_ callsAreActivities: Bool) async throws {
    try await MonicaServer.run(contacts: 3) { server in
      var server = server
      server.account.callsAsActivities = callsAreActivities
      for want in Samples.records {
        let kind = try #require(want.record?.kind)
        // Created.
        let made = try await server.push("create", want)
        #expect(made.outcome == .done && made.record.monicaID > 0)
        #expect(try Samples.isSame(made.record, want, activities: callsAreActivities), "\(kind)")
        let read = try await server.read(kind.name, made.record.monicaID)
        #expect(read.found)
        #expect(try Samples.isSame(read.record, want, activities: callsAreActivities), "\(kind)")
        if !want.clientID.isEmpty, kind != .call || !callsAreActivities {
          #expect(read.record.clientID == want.clientID)
        }
        // Changed by someone else: reported, and nothing written.
        let stranger = try await server.push("update", Samples.changed(made.record, "stranger"), base: made.record)
        #expect(stranger.outcome == .done, "\(kind)")
        let late = try await server.push("update", Samples.changed(made.record), base: made.record)
        #expect(late.outcome == .changed, "\(kind)")
        #expect(try Samples.isSame(late.record, stranger.record, activities: callsAreActivities), "\(kind)")
        #expect(try await server.push("delete", made.record, base: made.record).outcome == .changed)
        // Changed from the present record.
        let changed = Samples.changed(stranger.record)
        let done = try await server.push("update", changed, base: stranger.record)
        #expect(done.outcome == .done)
        #expect(try Samples.isSame(done.record, changed, activities: callsAreActivities), "\(kind)")
        // The same change again writes nothing.
        try await server.clearRequests()
        let again = try await server.push("update", done.record, base: stranger.record)
        #expect(again.outcome == .done)
        #expect(try await server.requests().allSatisfy { $0.hasPrefix("GET ") }, "\(kind)")
        // Deleted.
        #expect(try await server.push("delete", done.record, base: done.record).outcome == .done)
        #expect(try await server.push("delete", done.record, base: done.record).outcome == .gone)
        #expect(try await server.push("update", changed, base: done.record).outcome == .gone)
        #expect(try await server.read(kind.name, done.record.monicaID).found == false, "\(kind)")
      }
    }
  }

  @Test func whatTheServerHasAgainIsNotCreatedASecondTime() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      for want in Samples.records {
        let kind = try #require(want.record?.kind)
        let id = try await server.create(want).monicaID
        let there = try await server.read(kind.name, id).record
        // The server tells no time of the relationships of a person.
        guard kind != .relationship, let record = there.record?.record else { continue }
        #expect(record.hasCreatedAt, "\(kind)")
        try await server.clearRequests()
        let again = try await server.push("create", Samples.changed(want)) {
          ($0.leftID, $0.madeAt) = (id, record.createdAt)
        }
        #expect(again.outcome == .changed && again.record.monicaID == id, "\(kind)")
        #expect(try await server.requests().allSatisfy { $0.hasPrefix("GET ") }, "\(kind)")
      }
    }
  }

  @Test("another record under the old id is none of this one", arguments: ["made later", "of another person", "gone"])
  func givenAgain(_ how: String) async throws {
    try await MonicaServer.run(contacts: 3) { server in
      let want = RemoteRecord(.note(.with { $0.body = "hello" }), owner: 1)
      let there = try await server.create(
        how == "of another person" ? RemoteRecord(.note(.with { $0.body = "hello" }), owner: 2) : want)
      if how == "gone" { _ = try await server.push("delete", there, base: there) }
      let made = try await server.push("create", want) { request in
        (request.leftID, request.madeAt) = (there.monicaID, there.note.createdAt)
        if how == "made later" { request.madeAt.seconds -= 100 }
      }
      #expect(made.outcome == .done && made.record.monicaID != there.monicaID)
    }
  }

  // MARK: - Relationships, tags, conversations

  @Test func aRelationshipIsOneRecordFromBothSides() async throws {
    try await MonicaServer.run(contacts: 3) { server in
      // 1 is the child of 3: the record is that of 1, whose parent is 3.
      let made = try await server.create(
        RemoteRecord(.relationship(.with { $0.type = "child" }), owner: 3, others: [1]))
      #expect(
        made.owner == 1 && made.others == [3] && made.relationship.type == "parent"
          && made.relationship.reverseType == "child")
      #expect(try await server.read("person", 1).record.children.contains { $0.monicaID == made.monicaID })
      #expect(try await server.all("relationship", owner: 3).allSatisfy { $0.record == nil })
      // Changed as seen from the other side.
      var want = RemoteRecord(.relationship(.with { $0.type = "protege" }), owner: 3, others: [1])
      want.monicaID = made.monicaID
      let changed = try await server.push("update", want, base: made)
      #expect(changed.outcome == .done && changed.record.relationship.type == "mentor" && changed.record.owner == 1)
      // Created again after an attempt that arrived: found.
      let again = try await server.push(
        "create", RemoteRecord(.relationship(.with { $0.type = "protege" }), owner: 3, others: [1])
      ) { $0.lookFirst = true }
      #expect(again.record.monicaID == made.monicaID)
    }
  }

  @Test func aRelationshipToSomebodyKnownThroughOthersIsFoundAsTheListsHaveIt() async throws {
    try await MonicaServer.run { server in
      let partial = try await server.create(
        RemoteRecord(.person(.with { ($0.firstName, $0.isPartial) = ("Gus", true) })))
      let ann = try await server.create(RemoteRecord(.person(.with { $0.firstName = "Ann" })))
      #expect(partial.monicaID < ann.monicaID)
      let want = RemoteRecord(
        .relationship(.with { $0.type = "child" }), owner: ann.monicaID, others: [partial.monicaID])
      let made = try await server.create(want)
      let found = try await server.push("create", want) { $0.lookFirst = true }
      #expect(found.record.monicaID == made.monicaID && found.record.owner == ann.monicaID)
      #expect(try await server.read("person", ann.monicaID).record.children.map(\.monicaID) == [made.monicaID])
    }
  }

  @Test func thereIsOneTagOfAName() async throws {
    try await MonicaServer.run { server in
      let first = try await server.create(RemoteRecord(.tag(.with { $0.name = "Family" })))
      let second = try await server.create(RemoteRecord(.tag(.with { $0.name = "family" })))
      #expect(first.monicaID == second.monicaID)
      #expect(try await server.rows("tags").count == 1)
    }
  }

  @Test func channelsAreMadeOnce() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let before = try await server.rows("contact_field_types").count
      for _ in 0..<2 {
        for channel in ["in person", "text", "email", "Signal", "signal"] {
          let made = try await server.create(
            RemoteRecord(
              .conversation(.with { ($0.channel, $0.happenedAt) = (channel, .init(seconds: 1)) }), owner: 1,
              clientID: UUIDv7.make().text))
          #expect(made.conversation.channel.lowercased() == channel.lowercased())
        }
      }
      #expect(try await server.rows("contact_field_types").count == before + 3)
    }
  }

  @Test func messagesOfOthersStay() async throws {
    try await MonicaServer.run(contacts: 5) { server in
      let conversation = try #require(try await server.all("conversation").first)
      var want = conversation
      want.conversation.messages[0].content = "changed"
      // Someone adds a message meanwhile.
      try await server.mutate([
        "op": "create", "table": "messages",
        "values": ["contact_id": 5, "conversation_id": conversation.monicaID, "content": "meanwhile"],
      ])
      let late = try await server.push("update", want, base: conversation)
      #expect(late.outcome == .changed && late.record.conversation.messages.count == 3)
      var joined = late.record
      joined.conversation.messages[0].content = "changed"
      let done = try await server.push("update", joined, base: late.record)
      #expect(done.record.conversation.messages.map(\.content) == ["changed", "message 1 of 5", "meanwhile"])
    }
  }

  // MARK: - Calls

  @Test func aCallWhoseTrailerWasDeletedIsNotAConflict() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let made = try await server.create(.call(with: 1) { ($0.note, $0.durationMinutes) = ("Hi", 25) })
      try await server.mutate([
        "op": "update", "table": "calls", "id": made.monicaID, "set": ["content": "Hi"], "touch": true,
      ])
      let read = try await server.read("call", made.monicaID).record
      #expect(read.unsaid.contains("duration_minutes") && read.call.note == "Hi")
      var want = made
      want.call.durationMinutes = 30
      let done = try await server.push("update", want, base: made)
      #expect(done.outcome == .done && done.record.call.durationMinutes == 30)
    }
  }

  @Test func callsKeptAsActivitiesAreInOneListOnly() async throws {
    try await MonicaServer.run(contacts: 6) { server in
      var server = server
      server.account.callsAsActivities = true
      let before = try await server.pull("activity")
      let made = try await server.create(.call(with: 1) { ($0.note, $0.durationMinutes) = ("Moved house", 25) })
      let calls = try await server.all("call").filter { $0.record != nil }
      #expect(calls.map(\.monicaID) == [made.monicaID] && calls[0].owner == 1 && calls[0].call == made.call)
      // The positions of the others are kept, so that the counts are correct.
      let after = try await server.pull("activity")
      #expect(after.reply.total == before.reply.total + 1)
      #expect(after.pages.flatMap(\.records).count == Int(after.reply.total))
      #expect(after.pages.flatMap(\.records).filter { $0.record == nil }.map(\.monicaID) == [made.monicaID])
      let row = try #require(try await server.rows("activities").first { $0["id"] as? UInt64 == made.monicaID })
      #expect(row["summary"] as? String == "Call: Moved house")
    }
  }
}
