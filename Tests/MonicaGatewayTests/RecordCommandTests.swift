import Bus
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Commands for records, on the real store.
@Suite(.timeLimit(.minutes(2))) struct RecordCommandTests {
  private func expect(_ reason: String, _ work: () async throws -> Void, _ line: Int = #line) async {
    let failure = await refusal(work)
    #expect(failure?.reason == reason, "line \(line)")
    #expect(failure?.message.isEmpty == false)
  }

  @Test("a record is made, changed, listed, deleted and kept, and waits for the server")
  func lifeOfANote() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann")
    var note = try await home.ask(
      CreateNoteRequest.with {
        $0.record.personID = ann.id
        $0.record.body = " first "
        $0.record.monicaID = 99
        $0.record.id = ""
      })
    #expect(note.body == "first" && note.monicaID == 0 && note.syncState == "pending" && !note.id.isEmpty)
    #expect(note.createdAt.nanosecondsSince1970 == Household.start)
    home.pass(minutes: 1)
    note = try await home.ask(
      UpdateNoteRequest.with {
        $0.record.id = note.id
        $0.record.isFavorite = true
      })
    #expect(note.body == "first" && note.isFavorite && note.updatedAt.nanosecondsSince1970 == home.now)
    let second = try await home.ask(
      CreateNoteRequest.with {
        $0.record.personID = ann.id
        $0.record.body = "second"
      })
    var list = try await home.ask(ListNotesRequest.with { $0.personID = ann.id })
    #expect(list.notes.map(\.body) == ["second", "first"])
    #expect(try await home.ask(ListNotesRequest()).notes.count == 2)
    _ = try await home.ask(DeleteNoteRequest.with { $0.id = second.id })
    list = try await home.ask(ListNotesRequest.with { $0.personID = ann.id })
    #expect(list.notes.map(\.id) == [note.id])
    #expect(try await home.ask(ListNotesRequest.with { $0.includeDeleted = true }).notes.count == 2)
    #expect(try await home.ask(GetNoteRequest.with { $0.id = second.id }).hasDeletedAt)
    await self.expect("RECORD_DELETED") {
      _ = try await home.ask(
        UpdateNoteRequest.with {
          $0.record.id = second.id
          $0.record.body = "x"
        })
    }
    // A record that the server never had need not be deleted there.
    let queue = try await home.ask(QueueRequest())
    #expect(queue.entries.map(\.kind) == ["person", "note"] && queue.entries.allSatisfy { $0.operation == "create" })
    #expect(await home.gateway.engine.isPushWanted)
    #expect(home.events.contains { $0.event.changed.kind == "note" && $0.event.changed.ids == [note.id] })
  }

  @Test("pages follow each other to the end")
  func pages() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann")
    for index in 0..<7 {
      home.pass(minutes: 1)
      _ = try await home.ask(
        CreateGiftRequest.with {
          $0.record.personID = ann.id
          $0.record.name = "\(index)"
          $0.record.status = "idea"
        })
    }
    var request = ListGiftsRequest.with {
      $0.personID = ann.id
      $0.limit = 3
    }
    var names: [String] = []
    repeat {
      let reply = try await home.ask(request)
      names += reply.gifts.map(\.name)
      request.cursor = reply.nextCursor
    } while !request.cursor.isEmpty
    #expect(names == ["6", "5", "4", "3", "2", "1", "0"])
    #expect(try await home.ask(ListGiftsRequest.with { $0.limit = .max }).gifts.count == 7)
    await self.expect("FIELD_INVALID") { _ = try await home.ask(ListGiftsRequest.with { $0.cursor = "x" }) }
    await self.expect("RECORD_UNKNOWN") { _ = try await home.ask(ListGiftsRequest.with { $0.personID = "x" }) }
  }

  @Test("nobody is written about who is not there")
  func unknownPeople() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann")
    let bob = try await home.person("Bob")
    _ = try await home.ask(DeletePersonRequest.with { $0.id = bob.id })
    for (person, reason) in [("", "FIELD_INVALID"), ("nobody", "RECORD_UNKNOWN"), (bob.id, "RECORD_DELETED")] {
      await self.expect(reason) {
        _ = try await home.ask(
          CreateNoteRequest.with {
            $0.record.personID = person
            $0.record.body = "x"
          })
      }
      await self.expect(reason) { _ = try await home.ask(QuickCallRequest.with { $0.personID = person }) }
    }
    await self.expect("RECORD_UNKNOWN") {
      _ = try await home.ask(
        CreateActivityRequest.with {
          $0.record.summary = "x"
          $0.record.happenedOn = "2026-03-01"
          $0.record.participants = [ann.id, "nobody"]
        })
    }
    await self.expect("RECORD_UNKNOWN") { _ = try await home.ask(GetNoteRequest.with { $0.id = ann.id }) }
    await self.expect("RECORD_UNKNOWN") { _ = try await home.ask(DeleteTaskRequest.with { $0.id = "x" }) }
    await self.expect("FIELD_INVALID") { _ = try await home.ask(UpdateTaskRequest.with { $0.record.title = "x" }) }
    #expect(try await home.ask(ListActivitiesRequest()).activities.isEmpty)
  }

  @Test("open tasks come before those that are done; a task may be for nobody")
  func tasks() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann")
    var tasks: [TaskItem] = []
    for (title, person) in [("a", ann.id), ("b", ""), ("c", ann.id)] {
      home.pass(minutes: 1)
      tasks.append(
        try await home.ask(
          CreateTaskRequest.with {
            $0.record.title = title
            $0.record.personID = person
          }))
    }
    let done = try await home.ask(
      UpdateTaskRequest.with {
        $0.record.id = tasks[2].id
        $0.record.isCompleted = true
      })
    #expect(done.hasCompletedAt)
    #expect(try await home.ask(ListTasksRequest()).tasks.map(\.title) == ["b", "a", "c"])
    #expect(try await home.ask(ListTasksRequest.with { $0.personID = ann.id }).tasks.map(\.title) == ["a", "c"])
  }

  @Test("an activity is everybody's who took part")
  func activities() async throws {
    let home = try Household()
    try await home.logIn()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    let activity = try await home.ask(
      CreateActivityRequest.with {
        $0.record.summary = "Lunch"
        $0.record.happenedOn = "2026-03-05"
        $0.record.participants = [bob.id, ann.id]
      })
    #expect(activity.personID == bob.id)
    for person in [ann, bob] {
      #expect(try await home.ask(ListActivitiesRequest.with { $0.personID = person.id }).activities == [activity])
    }
    let changed = try await home.ask(
      UpdateActivityRequest.with {
        $0.record.id = activity.id
        $0.record.participants = [ann.id]
      })
    #expect(changed.personID == ann.id)
    #expect(try await home.ask(ListActivitiesRequest.with { $0.personID = bob.id }).activities.isEmpty)
  }

  @Test("tags are made where people carry them, renamed and taken away everywhere")
  func tags() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann", tags: ["Family"])
    let bob = try await home.person("Bob", tags: ["family", "work"])
    #expect(bob.tags == ["Family", "work"])
    var tags = try await home.ask(ListTagsRequest()).tags
    #expect(tags.map(\.name) == ["Family", "work"] && tags.map(\.people) == [2, 1])
    await self.expect("RECORD_EXISTS") { _ = try await home.ask(CreateTagRequest.with { $0.record.name = "FAMILY" }) }
    await self.expect("RECORD_EXISTS") {
      _ = try await home.ask(
        UpdateTagRequest.with {
          $0.record.id = tags[1].id
          $0.record.name = "family"
        })
    }
    _ = try await home.ask(
      UpdateTagRequest.with {
        $0.record.id = tags[0].id
        $0.record.name = "Kin"
      })
    #expect(try await home.ask(GetPersonRequest.with { $0.id = ann.id }).person.tags == ["Kin"])
    #expect(try await home.ask(ListPeopleRequest.with { $0.tag = "kin" }).people.map(\.firstName) == ["Ann", "Bob"])
    _ = try await home.ask(DeleteTagRequest.with { $0.id = tags[0].id })
    #expect(try await home.ask(GetPersonRequest.with { $0.id = bob.id }).person.tags == ["work"])
    #expect(try await home.ask(ListPeopleRequest.with { $0.tag = "kin" }).people.isEmpty)
    tags = try await home.ask(ListTagsRequest()).tags
    #expect(tags.map(\.name) == ["work"])
  }

  @Test("tags are given and taken in one go")
  func assigning() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann", tags: ["old", "kept"])
    let request = AssignTagsRequest.with {
      $0.personID = ann.id
      $0.add = ["New", "kept"]
      $0.remove = ["OLD", "never had"]
    }
    #expect(try await home.ask(request).tags == ["kept", "New"])
    #expect(try await home.ask(request).tags == ["kept", "New"])
    #expect(try await home.ask(ListTagsRequest()).tags.map(\.name) == ["kept", "New", "old"])
    for bad in [
      AssignTagsRequest.with { $0.personID = ann.id }, AssignTagsRequest.with { $0.add = ["x"] },
      AssignTagsRequest.with {
        $0.personID = ann.id
        $0.add = ["kept"]
        $0.remove = ["KEPT"]
      },
      AssignTagsRequest.with {
        $0.personID = ann.id
        $0.add = [" "]
      },
    ] { await self.expect("FIELD_INVALID") { _ = try await home.ask(bad) } }
  }

  @Test("a relationship is one record, seen from either side")
  func relationships() async throws {
    let home = try Household()
    try await home.logIn()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    try await home.storage.write { transaction throws(Failure) in
      try transaction.catalog.replace(
        "relationship_type",
        with: [("parent", "child"), ("child", "parent"), ("friend", "friend")].enumerated().map { index, names in
          CatalogEntry.with {
            $0.catalog = "relationship_type"
            $0.monicaID = UInt64(index + 1)
            $0.name = names.0
            $0.reverseName = names.1
          }
        })
    }
    var request = CreateRelationshipRequest.with {
      $0.record.personID = ann.id
      $0.record.otherID = bob.id
      $0.record.type = "Parent"
    }
    let made = try await home.ask(request)
    #expect(made.type == "parent" && made.reverseType == "child" && made.otherName == "Bob")
    await self.expect("RECORD_EXISTS") { _ = try await home.ask(request) }
    await self.expect("RECORD_EXISTS") {
      _ = try await home.ask(
        CreateRelationshipRequest.with {
          $0.record.personID = bob.id
          $0.record.otherID = ann.id
          $0.record.type = "child"
        })
    }
    request.record.type = "neighbour"
    await self.expect("FIELD_INVALID") { _ = try await home.ask(request) }
    let seen = try await home.ask(ListRelationshipsRequest.with { $0.personID = bob.id }).relationships
    #expect(seen.map(\.id) == [made.id] && seen.map(\.type) == ["child"] && seen.map(\.otherName) == ["Ann"])
    // From Bob's side: Ann is his friend.
    let changed = try await home.ask(
      UpdateRelationshipRequest.with {
        $0.record.id = made.id
        $0.record.personID = bob.id
        $0.record.type = "friend"
      })
    #expect(changed.type == "friend" && changed.personID == ann.id)
    await self.expect("FIELD_INVALID") {
      _ = try await home.ask(
        UpdateRelationshipRequest.with {
          $0.record.id = made.id
          $0.record.personID = bob.id
          $0.record.type = "neighbour"
        })
    }
    _ = try await home.ask(DeleteRelationshipRequest.with { $0.id = made.id })
    #expect(try await home.ask(ListRelationshipsRequest.with { $0.personID = ann.id }).relationships.isEmpty)
    #expect(try await home.ask(GetRelationshipRequest.with { $0.id = made.id }).hasDeletedAt)
  }

  @Test("messages of a conversation are added, changed and deleted one by one")
  func conversations() async throws {
    let home = try Household()
    try await home.logIn()
    let ann = try await home.person("Ann")
    var conversation = try await home.ask(
      CreateConversationRequest.with {
        $0.record.personID = ann.id
        $0.record.channel = "email"
        $0.record.happenedAt = .init(nanosecondsSince1970: home.now)
        $0.record.messages = [
          .with {
            $0.id = "chosen by a client"
            $0.monicaID = 7
            $0.content = " hello "
          }
        ]
      })
    #expect(conversation.messages[0].content == "hello" && conversation.messages[0].monicaID == 0)
    #expect(conversation.messages[0].id != "chosen by a client")
    #expect(conversation.messages[0].writtenAt == conversation.happenedAt && conversation.personName == "Ann")
    conversation = try await home.ask(
      AddMessageRequest.with {
        $0.conversationID = conversation.id
        $0.message.content = "answer"
        $0.message.writtenByMe = true
      })
    #expect(conversation.messages.map(\.content) == ["hello", "answer"])
    let id = conversation.messages[1].id
    conversation = try await home.ask(
      UpdateMessageRequest.with {
        $0.conversationID = conversation.id
        $0.message.id = id
        $0.message.content = "better answer"
      })
    #expect(conversation.messages[1].content == "better answer" && conversation.messages[1].id == id)
    let twice = conversation
    await self.expect("FIELD_INVALID") {
      _ = try await home.ask(
        UpdateConversationRequest.with {
          $0.record.id = twice.id
          $0.fields = ["messages"]
          $0.record.messages = [twice.messages[1], twice.messages[1]]
        })
    }
    #expect(try await home.ask(GetConversationRequest.with { $0.id = twice.id }).messages == twice.messages)
    await self.expect("RECORD_UNKNOWN") {
      _ = try await home.ask(
        DeleteMessageRequest.with {
          $0.conversationID = conversation.id
          $0.messageID = "x"
        })
    }
    await self.expect("FIELD_INVALID") {
      _ = try await home.ask(AddMessageRequest.with { $0.conversationID = conversation.id })
    }
    conversation = try await home.ask(
      DeleteMessageRequest.with {
        $0.conversationID = conversation.id
        $0.messageID = id
      })
    #expect(conversation.messages.map(\.content) == ["hello"])
    #expect(try await home.ask(ListConversationsRequest.with { $0.channel = "Email" }).conversations == [conversation])
    #expect(try await home.ask(ListConversationsRequest.with { $0.channel = "text" }).conversations.isEmpty)
    _ = try await home.ask(DeleteConversationRequest.with { $0.id = conversation.id })
    await self.expect("RECORD_DELETED") {
      _ = try await home.ask(
        AddMessageRequest.with {
          $0.conversationID = conversation.id
          $0.message.content = "late"
        })
    }
  }
}
