import Bus
import KithMessages
import Storage
import SwiftProtobuf
import Testing

@testable import MonicaGateway

/// Requests from phones that were offline, and concurrent changes of two phones.
@Suite(.timeLimit(.minutes(2))) struct TwoPhonesTests {
  @Test("what is sent again under its client id is recorded once, and given as it is now")
  func creations() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    let note = CreateNoteRequest.with {
      $0.record.personID = ann.id
      $0.record.body = "first"
      $0.clientID = "phone-1"
    }
    let first = try await home.ask(note)
    home.pass(days: 14)
    _ = try await home.ask(
      UpdateNoteRequest.with {
        $0.record.id = first.id
        $0.record.body = "corrected"
      })
    let again = try await home.ask(note)
    #expect(again.id == first.id && again.body == "corrected")
    #expect(try await home.ask(ListNotesRequest()).notes.count == 1)
    _ = try await home.ask(DeleteNoteRequest.with { $0.id = first.id })
    #expect(try await home.ask(note).hasDeletedAt)
    #expect(try await home.ask(ListNotesRequest()).notes.isEmpty)
    let other = await refusal {
      _ = try await home.ask(
        CreateTagRequest.with {
          $0.record.name = "garden"
          $0.clientID = "phone-1"
        })
    }
    #expect(other?.reason == "FIELD_INVALID" && other?.status.details.keys.first == "client_id")
  }

  @Test("calls, however they are recorded, and messages are recorded once")
  func callsAndMessages() async throws {
    let home = try Household()
    let (ann, bob) = (try await home.person("Ann"), try await home.person("Bob"))
    let quick = QuickCallRequest.with {
      $0.personID = ann.id
      $0.clientID = "quick"
    }
    #expect(try await home.ask(quick).id == home.ask(quick).id)
    let start = StartCallRequest.with {
      $0.personID = bob.id
      $0.clientID = "start"
    }
    let running = try await home.ask(start)
    #expect(running.isRunning)
    #expect(try await home.ask(start).id == running.id)
    _ = try await home.ask(StopCallRequest())
    let stopped = try await home.ask(start)
    #expect(stopped.id == running.id && !stopped.isRunning)
    #expect(try await home.ask(ListCallsRequest()).calls.count == 2)
    let talk = try await home.ask(
      CreateConversationRequest.with {
        $0.record.personID = ann.id
        $0.record.channel = "email"
        $0.record.happenedAt = .with { $0.seconds = home.now / 1_000_000_000 }
        $0.clientID = "talk"
      })
    let message = AddMessageRequest.with {
      $0.conversationID = talk.id
      $0.message.content = "hello"
      $0.clientID = "message"
    }
    _ = try await home.ask(message)
    #expect(try await home.ask(message).messages.map(\.content) == ["hello"])
  }

  @Test("a call whose uploads are gone by the time it is sent again is the one that was recorded")
  func uploads() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    var log = LogCallRequest.with {
      $0.record.personID = ann.id
      $0.clientID = "call"
    }
    let call = try await home.ask(log)
    log.record.attachments = [.with { $0.sha256 = String(repeating: "0", count: 64) }]
    #expect(try await home.ask(log).id == call.id)
    log.clientID = "another"
    let missing = await refusal { _ = try await home.ask(log) }
    #expect(missing?.reason == "FIELD_INVALID")
  }

  @Test("an update of what somebody changed meanwhile is refused, with what the record says now")
  func changedMeanwhile() async throws {
    let home = try Household()
    let shown = try await home.person("Ann", "Lee")
    home.pass(minutes: 1)
    let update = UpdatePersonRequest.with {
      $0.record.id = shown.id
      $0.record.nickname = "Annie"
      $0.record.company = "Bakery"
      $0.ifUpdatedAt = shown.updatedAt
    }
    let theirs = try await home.ask(
      UpdatePersonRequest.with {
        $0.record.id = shown.id
        $0.record.nickname = "Nan"
        $0.ifUpdatedAt = shown.updatedAt
      })
    let failure = await refusal { _ = try await home.ask(update) }
    #expect(failure?.code == .aborted && failure?.reason == "CHANGED_MEANWHILE")
    #expect(
      try failure?.status.details
        == ["nickname": "Nan", "company": "", "updated_at": theirs.updatedAt.jsonString().filter { $0 != "\"" }])
    #expect(try await home.ask(GetPersonRequest.with { $0.id = shown.id }).person.nickname == "Nan")
    var second = update
    second.ifUpdatedAt = theirs.updatedAt
    let mended = try await home.ask(second)
    #expect(mended.nickname == "Annie" && mended.company == "Bakery")
  }

  /// A conversation with these messages.
  private func talk(_ home: Household, _ texts: String...) async throws -> Conversation {
    let ann = try await home.person("Ann")
    return try await home.ask(
      CreateConversationRequest.with {
        $0.record.personID = ann.id
        $0.record.channel = "text"
        $0.record.happenedAt = .init(nanosecondsSince1970: home.now)
        $0.record.messages = texts.map { text in .with { $0.content = text } }
      })
  }

  /// The correction of a message, as a phone sends it that shows the conversation.
  private func correction(_ shown: Conversation, _ index: Int, _ text: String) -> UpdateMessageRequest {
    .with {
      $0.conversationID = shown.id
      $0.message.id = shown.messages[index].id
      $0.message.content = text
      $0.ifContent = shown.messages[index].knownContent
      $0.ifWrittenByMe = shown.messages[index].writtenByMe
    }
  }

  @Test("a message that somebody changed meanwhile is not overwritten")
  func changedMessage() async throws {
    let home = try Household()
    let shown = try await self.talk(home, "Lunch at ten")
    home.pass(minutes: 1)
    let update = self.correction(shown, 0, "Lunch at one")
    let theirs = try await home.ask(self.correction(shown, 0, "Lunch at noon, with Bob"))
    let failure = await refusal { _ = try await home.ask(update) }
    #expect(failure?.code == .aborted && failure?.reason == "CHANGED_MEANWHILE")
    #expect(failure?.status.details["content"] == "Lunch at noon, with Bob")
    #expect(try failure?.status.details["updated_at"] == theirs.updatedAt.jsonString().filter { $0 != "\"" })
    #expect(try await home.ask(GetConversationRequest.with { $0.id = shown.id }) == theirs)
    let again = self.correction(theirs, 0, "Lunch at one")
    #expect(try await home.ask(again).messages[0].content == "Lunch at one")
    // Programs that give no precondition change it as before.
    var free = self.correction(shown, 0, "Lunch at two")
    free.ifContent = ""
    #expect(try await home.ask(free).messages[0].content == "Lunch at two")
  }

  @Test("what a phone wrote itself in a conversation refuses none of its corrections of other messages")
  func correctionsThatWaited() async throws {
    let home = try Household()
    let shown = try await self.talk(home, "Lunch at ten", "Bring the phtos")
    home.pass(minutes: 1)
    _ = try await home.ask(
      AddMessageRequest.with {
        $0.conversationID = shown.id
        $0.message.content = "Thank you"
      })
    home.pass(minutes: 1)
    _ = try await home.ask(self.correction(shown, 0, "Lunch at one"))
    home.pass(minutes: 1)
    let last = try await home.ask(self.correction(shown, 1, "Bring the photos"))
    #expect(last.messages.map(\.content) == ["Lunch at one", "Bring the photos", "Thank you"])
  }

  @Test("a message is the same whatever line breaks a form gives it, and however much of it is shown")
  func sameMessage() async throws {
    let home = try Household()
    var shown = try await self.talk(home, "Lunch at ten\nat the station")
    for (known, text) in [
      ("Lunch at ten\r\nat the station\r\n", "Lunch at one\r\nat the station"),
      ("Lunch at one\nat the station", " Lunch at two\rat the station "),
    ] {
      var request = self.correction(shown, 0, text)
      request.ifContent = known
      shown = try await home.ask(request)
    }
    #expect(shown.messages[0].content == "Lunch at two\rat the station")
    var other = self.correction(shown, 0, "x")
    other.ifContent = "Lunch at two at the station"
    #expect(await refusal { _ = try await home.ask(other) }?.reason == "CHANGED_MEANWHILE")
    other.ifContent = String(repeating: "x", count: ConversationMessage.longest + 1)
    let failure = await refusal { _ = try await home.ask(other) }
    #expect(failure?.reason == "FIELD_INVALID" && failure?.status.details.keys.first == "if_content")
    // The server may have longer messages, and so long ones that a reply has their beginning.
    for count in [ConversationMessage.longest + 500, 300_000] {
      var long = shown
      long.messages[0].content = String(repeating: "word\r\n", count: count / 6)
      _ = try await home.storage.write { [long] transaction throws(Failure) in
        try transaction.records.update(long, now: home.now)
      }
      let read = try await home.ask(GetConversationRequest.with { $0.id = shown.id })
      let isCut = count == 300_000
      #expect(read.truncated == isCut)
      let failure = await refusal { _ = try await home.ask(self.correction(read, 0, "Short")) }
      #expect(isCut ? failure?.status.details.keys.first == "if_content" : failure == nil)
    }
  }

  @Test("a correction of the text does not take back who said it")
  func whoSaidIt() async throws {
    let home = try Household()
    let shown = try await self.talk(home, "Lunch at ten")
    var mark = self.correction(shown, 0, "Lunch at ten")
    mark.message.writtenByMe = true
    #expect(try await home.ask(mark).messages[0].writtenByMe)
    let failure = await refusal { _ = try await home.ask(self.correction(shown, 0, "Lunch at one")) }
    #expect(failure?.reason == "CHANGED_MEANWHILE" && failure?.status.details["written_by_me"] == "true")
    #expect(try await home.ask(GetConversationRequest.with { $0.id = shown.id }).messages[0].content == "Lunch at ten")
  }

  @Test("what is told of a long text fits into the header of an answer")
  func longText() async throws {
    let home = try Household()
    let ann = try await home.person("Ann")
    let note = try await home.ask(
      CreateNoteRequest.with {
        $0.record.personID = ann.id
        $0.record.body = String(repeating: "\u{1}", count: 50_000)
      })
    let failure = await refusal {
      _ = try await home.ask(
        UpdateNoteRequest.with {
          $0.record.id = note.id
          $0.record.body = "x"
          $0.ifUpdatedAt = .with { $0.seconds = 1 }
        })
    }
    let status = try #require(failure?.status)
    #expect(status.details["body"]?.isEmpty == false)
    #expect(try status.jsonUTF8Data().count < 3500)
  }
}
