import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith people")
struct PeopleCommandTests {
  @Test("People are listed with nickname, last contact, tags and marks")
  func list() async throws {
    let run = try await CommandRun.of("people", "list", "--tag", "family", "--all") { _ in
      ListPeopleReply.with { reply in
        var ann = Household.ann
        ann.nickname = "Annie"
        ann.tags = ["family", "london"]
        ann.lastInteractionAt = Household.ago(86_400 * 2)
        ann.isArchived = true
        reply.people = [ann, Household.bob]
      }
    }
    #expect(
      run.output == """
        NAME                NICKNAME  LAST CONTACT  TAGS            STATE    ID
        Ann Lee (archived)  Annie     2 days ago    family, london           \(Household.annID)
        Bob                           never                         pending  \(Household.bobID)

        """)
    let request = try #require(run.sent.first as? ListPeopleRequest)
    #expect(request.tag == "family")
    #expect(request.includeArchived)
    #expect(request.includePartial)
    #expect(!request.includeDeleted)
    #expect(request.limit == 500)
  }

  @Test("Empty lists have a sentence")
  func empty() async throws {
    #expect(try await CommandRun.of("people", "list") { _ in ListPeopleReply() }.output == "No people found.\n")
    #expect(
      try await CommandRun.of("people", "search", "x") { _ in SearchPeopleReply() }.output == "No people found.\n")
    #expect(
      try await CommandRun.of("people", "timeline", Household.annID) { _ in PersonTimelineReply() }.output
        == "Nothing found.\n")
    #expect(
      try await CommandRun.of("people", "link", "--suggest") { _ in SuggestLinksReply() }.output
        == "No suggestions found.\n")
  }

  @Test("A person is shown with all sections, also the empty ones")
  func show() async throws {
    let run = try await CommandRun.of("people", "show", "ann", "--refresh") { command in
      if command is GetPersonRequest {
        return PersonDetails.with {
          $0.person = Household.ann
          $0.relationships = [
            .with {
              $0.id = "r-1"
              $0.personID = Household.annID
              $0.otherID = Household.bobID
              $0.otherName = "Bob"
              $0.type = "parent"
              $0.syncState = "synced"
            }
          ]
          $0.calls = [
            .with {
              $0.id = "c-1"
              $0.personName = "Ann Lee"
              $0.personID = Household.annID
              $0.emotion = "happy"
              $0.durationMinutes = 1
              $0.note = "About the\ngarden"
              $0.calledAt = Household.ago(3600)
              $0.syncState = "pending"
            }
          ]
          $0.fetchedAt = Household.ago(120)
        }
      }
      return Household.people(command) ?? PersonDetails()
    }
    #expect(
      run.output == """
        Ann Lee
          Tags   No tags
          State  on the server
          ID     \(Household.annID)

        No contact fields

        No addresses

        Relationships
          WHO  IS THEIR  PERSON ID                             ID
          Bob  parent    \(Household.bobID)  r-1

        No reminders

        No tasks

        No gifts

        No notes

        No activities

        Calls
          WHEN        AT                    TOOK  FELT  NOTE              STATE    ID
          1 hour ago  2026-11-21 08:15  1 minute  😊    About the garden  pending  c-1

        No conversations

        Last read from Monica: 2 minutes ago

        """)
    #expect(run.sent.compactMap { $0 as? GetPersonRequest }.map(\.refresh) == [true])
  }

  @Test("A timeline has all kinds in one table")
  func timeline() async throws {
    let run = try await CommandRun.of("people", "timeline", Household.annID) { _ in
      PersonTimelineReply.with {
        $0.entries = [
          .with {
            $0.at = Household.ago(60)
            $0.call = .with {
              $0.id = "c"
              $0.durationMinutes = 5
              $0.syncState = "synced"
            }
          },
          .with {
            $0.at = Household.ago(7200)
            $0.conversation = .with {
              $0.id = "t"
              $0.channel = "email"
              $0.messages = [.with { $0.content = "Hello" }]
              $0.syncState = "synced"
            }
          },
          .with {
            $0.at = Household.ago(86_400)
            $0.note = .with {
              $0.id = "n"
              $0.body = "Likes tea"
              $0.syncState = "failed"
            }
          },
        ]
        $0.nextCursor = "next"
      }
    }
    #expect(
      run.output == """
        WHEN          WHAT              STATE   ID
        1 minute ago  call   5 minutes          c
        2 hours ago   email  Hello              t
        1 day ago     note   Likes tea  failed  n

        There are more. To see all, add --all; to continue, add --cursor next

        """)
  }

  @Test("A new person has the fields of the options")
  func add() async throws {
    let run = try await CommandRun.of(
      "people", "add", "Ann", "--last-name", "Lee", "--birthday", "--05-17", "--tag", "family", "--tag", "london",
      "--birthday-reminder"
    ) { ($0 as? CreatePersonRequest)?.record ?? Person() }
    let record = try #require((run.sent.first as? CreatePersonRequest)?.record)
    #expect(record.firstName == "Ann")
    #expect(record.lastName == "Lee")
    #expect(record.birthday == "--05-17")
    #expect(record.birthdayReminder)
    #expect(record.tags == ["family", "london"])
  }

  @Test("An edit finds the person by name and names the fields")
  func edit() async throws {
    let run = try await CommandRun.of("people", "edit", "ann", "--company", "", "--no-dead", "--tag", "") { command in
      Household.people(command) ?? (command as? UpdatePersonRequest)?.record ?? Person()
    }
    let request = try #require(run.sent.last as? UpdatePersonRequest)
    #expect(request.record.id == Household.annID)
    #expect(Set(request.fields) == ["company", "is_dead", "tags"])
    #expect(request.record.company.isEmpty)
    #expect(request.record.tags.isEmpty)
  }

  @Test(
    "Deleting asks a person at a terminal; a script has to say that it means it",
    arguments: [
      (true, "yes", [], true), (true, "n", [], false), (true, nil, [], false), (true, "n", ["--yes"], true),
      (false, nil, [], false), (false, nil, ["--yes"], true),
    ] as [(Bool, String?, [String], Bool)])
  func delete(isTerminal: Bool, typed: String?, options: [String], isDone: Bool) async throws {
    let answer: @Sendable (any KithMessages.Command) -> any Message & Sendable = {
      Household.people($0) ?? Household.ann
    }
    let run =
      options.isEmpty
      ? try await CommandRun.of("people", "delete", "ann", isTerminal: isTerminal, typed: typed, answer: answer)
      : try await CommandRun.of(
        "people", "delete", "ann", "--yes", isTerminal: isTerminal, typed: typed, answer: answer)
    #expect(run.sent.contains { $0 is DeletePersonRequest } == isDone)
    #expect(run.code == (isDone ? 0 : 1))
    #expect(
      run.output
        == (isDone ? "Deleted the person: Ann Lee\nTo restore it: kith people restore \(Household.annID)\n" : ""))
  }

  @Test("A person is deleted by the exact name only")
  func deleteNearly() async throws {
    let run = try await CommandRun.of("people", "delete", "an") { _ in
      Household.who([Household.ann])
    }
    #expect(run.code == 1)
    #expect(run.sent.count == 1)
  }

  @Test("A person without a photo is an error")
  func noPhoto() async throws {
    let run = try await CommandRun.of("people", "photo", "ann", "-o", "/nowhere/x") { Household.people($0) ?? Person() }
    #expect(run.code == 1)
    #expect(run.errors == "kith: Ann Lee has no photo. For that of the address book: kith contacts photo\n")
  }

  @Test("Fields, addresses and reminders are added and changed in the same way")
  func parts() async throws {
    let field = try await CommandRun.of("people", "field", "add", "ann", "email", "ann@example.com", "--label", "work")
    {
      Household.people($0) ?? ($0 as? CreateContactFieldRequest)?.record ?? ContactField()
    }
    let record = try #require(field.sent.compactMap { $0 as? CreateContactFieldRequest }.first?.record)
    #expect(record.personID == Household.annID)
    #expect(record.type == "email")
    #expect(record.data == "ann@example.com")
    #expect(record.labels == ["work"])

    let address = try await CommandRun.of("people", "address", "edit", "a-1", "--city", "London", "--label", "") {
      ($0 as? UpdatePersonAddressRequest)?.record ?? PersonAddress()
    }
    let change = try #require(address.sent.first as? UpdatePersonAddressRequest)
    #expect(change.record.id == "a-1")
    #expect(change.fields == ["city", "labels"])

    let reminder = try await CommandRun.of(
      "people", "remind", "add", "ann", "Send", "a", "card", "--on", "2026-12-10", "--every", "2", "--unit", "year"
    ) { Household.people($0) ?? ($0 as? CreatePersonReminderRequest)?.record ?? PersonReminder() }
    let reminding = try #require(reminder.sent.compactMap { $0 as? CreatePersonReminderRequest }.first?.record)
    #expect(reminding.title == "Send a card")
    #expect(reminding.initialDate == "2026-12-10")
    #expect(reminding.frequency == "year")
    #expect(reminding.every == 2)
    #expect(reminder.output.contains("Again   every 2 years"))
  }

  @Test("A reminder that comes once")
  func reminderOnce() async throws {
    let run = try await CommandRun.of("people", "remind", "edit", "r-1", "--unit", "never") { _ in PersonReminder() }
    let request = try #require(run.sent.first as? UpdatePersonReminderRequest)
    #expect(request.record.frequency == "one_time")
    #expect(request.fields == ["frequency", "every"])
  }

  @Test("A person and a contact are linked by their names, and unlinked by an empty contact")
  func link() async throws {
    let answer: @Sendable (any KithMessages.Command) -> any Message & Sendable = { command in
      if let who = command as? WhoRequest, who.text == "Ann Lee" {
        return WhoReply.with { reply in
          reply.hits = [
            .with {
              $0.contact.id = "k-1"
              $0.contact.formattedName = "Ann Lee"
              $0.name = "Ann Lee"
            }
          ]
        }
      }
      return Household.people(command) ?? Household.ann
    }
    let linked = try await CommandRun.of("people", "link", "ann", "Ann Lee", answer: answer)
    let request = try #require(linked.sent.last as? LinkPersonRequest)
    #expect(request.personID == Household.annID)
    #expect(request.contactID == "k-1")
    let unlinked = try await CommandRun.of("people", "unlink", "ann", answer: answer)
    #expect((unlinked.sent.last as? LinkPersonRequest)?.contactID == "")
    let dismissed = try await CommandRun.of("people", "dismiss", Household.annID, Household.bobID) { _ in
      DismissLinkReply()
    }
    #expect((dismissed.sent.last as? DismissLinkRequest)?.contactID == Household.bobID)
  }

  @Test("Suggestions are printed with the command that links the first")
  func suggest() async throws {
    let run = try await CommandRun.of("people", "link", "--suggest") { _ in
      SuggestLinksReply.with { reply in
        reply.suggestions = [
          .with {
            $0.personID = "p"
            $0.personName = "Ann"
            $0.contactID = "k"
            $0.contactName = "Ann Lee"
            $0.reasons = ["email", "name"]
          }
        ]
      }
    }
    #expect((run.sent.first as? SuggestLinksRequest)?.personID == "")
    #expect(run.output.contains("Ann     Ann Lee  email, name  p          k"))
    #expect(run.output.contains("kith people link p k"))
  }
}
