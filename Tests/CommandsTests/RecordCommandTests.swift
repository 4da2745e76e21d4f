import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith note, task, activity, gift, tag, relation")
struct RecordCommandTests {
  @Test("A record is added for a person named by name, and printed as it is stored")
  func add() async throws {
    let run = try await CommandRun.of("note", "add", "ann", "Likes", "tea", "--favorite") { command in
      if let request = command as? CreateNoteRequest {
        var note = request.record
        note.id = "n-1"
        note.syncState = "pending"
        note.createdAt = CommandRun.now
        return note
      }
      return Household.people(command) ?? Note()
    }
    #expect(
      run.output == """
        Likes tea
          About      Ann Lee
          Favourite  yes
          State      waits for the server
          Created    just now
          ID         n-1

          Likes tea

        """)
    let record = try #require(run.sent.compactMap { $0 as? CreateNoteRequest }.first?.record)
    #expect(record.personID == Household.annID)
    #expect(record.body == "Likes tea")
    #expect(record.isFavorite)
  }

  @Test("An edit names the fields it sets; empty text clears a field")
  func edit() async throws {
    let run = try await CommandRun.of("task", "edit", "t-1", "--description", "", "--done") { command in
      (command as? UpdateTaskRequest)?.record ?? TaskItem()
    }
    let request = try #require(run.sent.first as? UpdateTaskRequest)
    #expect(request.record.id == "t-1")
    #expect(request.fields == ["description", "is_completed"])
    #expect(request.record.isCompleted)
  }

  @Test("An edit without options is wrong usage, and sends nothing")
  func editNothing() async throws {
    let run = try await CommandRun.of("gift", "edit", "g-1") { _ in Gift() }
    #expect(run.code == 2)
    #expect(run.sent.isEmpty)
  }

  @Test("A list of all people has their names; records that are not on the server are marked")
  func list() async throws {
    let tasks = ListTasksReply.with {
      $0.tasks = [
        .with {
          $0.id = "t-1"
          $0.personID = Household.annID
          $0.title = "Send the photos"
          $0.syncState = "failed"
          $0.createdAt = Household.ago(86_400 * 2)
        },
        .with {
          $0.id = "t-2"
          $0.title = "Buy stamps"
          $0.isCompleted = true
          $0.syncState = "synced"
          $0.createdAt = Household.ago(60)
        },
      ]
      $0.nextCursor = "c"
    }
    let all = try await CommandRun.of("task", "list") { Household.people($0) ?? tasks }
    #expect(
      all.output == """
        PERSON   DONE  TASK             ADDED         STATE   ID
        Ann Lee        Send the photos  2 days ago    failed  t-1
                 ✓     Buy stamps       1 minute ago          t-2

        There are more. To see all, add --all; to continue, add --cursor c

        """)
    let one = try await CommandRun.of("task", "list", "ann", "--limit", "7", "--deleted") {
      Household.people($0) ?? tasks
    }
    #expect(!one.output.contains("PERSON"))
    let request = try #require(one.sent.compactMap { $0 as? ListTasksRequest }.first)
    #expect(request.personID == Household.annID)
    #expect(request.limit == 7)
    #expect(request.includeDeleted)
  }

  @Test("JSON requests no names, and prints the reply only")
  func json() async throws {
    let run = try await CommandRun.of("--json", "activity", "list") { _ in
      ListActivitiesReply.with { $0.activities = [.with { $0.participants = [Household.annID] }] }
    }
    #expect(run.sent.count == 1)
    #expect(run.output == #"{"activities":[{"participants":["\#(Household.annID)"]}]}"# + "\n")
  }

  @Test("Empty lists have a sentence")
  func empty() async throws {
    func output(_ noun: String, _ reply: any Message & Sendable) async throws -> String {
      try await CommandRun.of(noun, "list", Household.annID) { _ in reply }.output
    }
    #expect(try await output("note", ListNotesReply()) == "No notes found.\n")
    #expect(try await output("task", ListTasksReply()) == "No tasks found.\n")
    #expect(try await output("activity", ListActivitiesReply()) == "No activities found.\n")
    #expect(try await output("gift", ListGiftsReply()) == "No gifts found.\n")
    #expect(try await output("relation", ListRelationshipsReply()) == "No relationships found.\n")
    #expect(try await output("talk", ListConversationsReply()) == "No conversations found.\n")
    #expect(try await CommandRun.of("tag", "list") { _ in ListTagsReply() }.output == "No tags found.\n")
  }

  @Test("A task may be for nobody")
  func nobody() async throws {
    let run = try await CommandRun.of("task", "add", "-", "Buy stamps") {
      ($0 as? CreateTaskRequest)?.record ?? TaskItem()
    }
    let request = try #require(run.sent.first as? CreateTaskRequest)
    #expect(request.record.personID.isEmpty)
    #expect(request.record.title == "Buy stamps")
  }

  @Test("A task is marked as done by one command")
  func done() async throws {
    let run = try await CommandRun.of("task", "done", "t-1") { _ in TaskItem.with { $0.title = "Buy stamps" } }
    let request = try #require(run.sent.first as? UpdateTaskRequest)
    #expect(request.fields == ["is_completed"])
    #expect(request.record.isCompleted)
    #expect(run.output == "Done: Buy stamps\n")
  }

  @Test("An activity has all participants, and today as its default day")
  func activity() async throws {
    let answer: @Sendable (any KithMessages.Command) -> any Message & Sendable = { command in
      Household.people(command) ?? (command as? CreateActivityRequest)?.record ?? Activity()
    }
    let run = try await CommandRun.of("activity", "add", "ann", "Museum", "--with", "bob", answer: answer)
    let record = try #require(run.sent.compactMap { $0 as? CreateActivityRequest }.first?.record)
    #expect(record.participants == [Household.annID, Household.bobID])
    #expect(record.happenedOn == "2026-11-21")
    #expect(run.output.contains("With  Ann Lee, Bob"))
    #expect(run.output.contains("2026-11-21 (today)"))
    let then = try await CommandRun.of("activity", "add", "ann", "Museum", "--on", "yesterday", answer: answer)
    #expect(then.sent.compactMap { $0 as? CreateActivityRequest }.first?.record.happenedOn == "2026-11-20")
  }

  @Test("A relationship is read from the left")
  func relation() async throws {
    let run = try await CommandRun.of("relation", "add", "ann", "parent", "bob") { command in
      Household.people(command) ?? (command as? CreateRelationshipRequest)?.record ?? Relationship()
    }
    let record = try #require(run.sent.compactMap { $0 as? CreateRelationshipRequest }.first?.record)
    #expect(record.personID == Household.annID)
    #expect(record.otherID == Household.bobID)
    #expect(record.type == "parent")
    #expect(run.output.hasPrefix("Bob is parent of Ann Lee\n"))
  }

  @Test("The types of relationships come from the catalog")
  func types() async throws {
    let run = try await CommandRun.of("relation", "types") { _ in
      CatalogReply.with {
        $0.entries = [
          .with {
            $0.catalog = "relationship_type"
            $0.name = "parent"
            $0.reverseName = "child"
            $0.group = "family"
          }
        ]
      }
    }
    #expect((run.sent.first as? CatalogRequest)?.catalog == "relationship_type")
    #expect(
      run.output == """
        NAME    REVERSE  GROUP
        parent  child    family

        """)
  }

  @Test("A tag is found by its name, over all pages")
  func tagByName() async throws {
    let run = try await CommandRun.of("tag", "edit", "Family", "relatives") { command in
      if let list = command as? ListTagsRequest {
        return ListTagsReply.with { reply in
          reply.tags = [
            .with {
              $0.id = list.cursor.isEmpty ? "1" : "2"
              $0.name = list.cursor.isEmpty ? "friends" : "family"
            }
          ]
          reply.nextCursor = list.cursor.isEmpty ? "next" : ""
        }
      }
      return (command as? UpdateTagRequest)?.record ?? Tag()
    }
    let request = try #require(run.sent.last as? UpdateTagRequest)
    #expect(request.record.id == "2")
    #expect(request.record.name == "relatives")
    #expect(request.fields == ["name"])
  }

  @Test("Tags are added and removed by name; a person without tags has a sentence")
  func assign() async throws {
    let run = try await CommandRun.of("tag", "unassign", Household.annID, "london", "family") { _ in Household.ann }
    let request = try #require(run.sent.first as? AssignTagsRequest)
    #expect(request.remove == ["london", "family"])
    #expect(request.add.isEmpty)
    #expect(run.output == "Ann Lee: No tags\n")
  }

  @Test("The deleted record is named")
  func delete() async throws {
    let run = try await CommandRun.of("gift", "delete", "g-1") { _ in
      Gift.with { ($0.id, $0.name) = ("g-1", "Tea pot") }
    }
    #expect((run.sent.first as? DeleteGiftRequest)?.id == "g-1")
    #expect(run.output == "Deleted the gift: Tea pot\nTo restore it: kith gift restore g-1\n")
  }

  @Test("A name that several have is exit code 2, and lists them with ids")
  func ambiguous() async throws {
    let run = try await CommandRun.of("note", "add", "ann", "x") { _ in
      Household.who([
        Household.ann,
        .with {
          $0.id = "other"
          $0.firstName = "Ann"
          $0.displayName = "Ann Ott"
        },
      ])
    }
    #expect(run.code == 2)
    #expect(
      run.errors == """
        kith: "ann" may be one of 2. Give the id of the person that you mean:
          \(Household.annID)  Ann Lee
          other  Ann Ott

        """)
    #expect(run.sent.count == 1)
  }
}
