import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("kith talk")
struct TalkCommandTests {
  private let talk = Conversation.with {
    $0.id = "t-1"
    $0.personID = Household.annID
    $0.personName = "Ann Lee"
    $0.channel = "email"
    $0.happenedAt = Household.ago(3600)
    $0.syncState = "conflict"
    $0.messages = [
      .with {
        $0.id = "m-1"
        $0.content = "First line\nSecond line"
        $0.writtenAt = Household.ago(3600)
      },
      .with {
        $0.id = "m-2"
        $0.content = "Thanks"
        $0.writtenByMe = true
      },
    ]
  }

  private func answer(_ command: any KithMessages.Command) -> any Message & Sendable {
    Household.people(command) ?? self.talk
  }

  @Test("A conversation has its first message, both at the present time by default")
  func log() async throws {
    let run = try await CommandRun.of(
      "talk", "log", "ann", "--channel", "email", "--note", "Hello", "--by-me", answer: self.answer)
    let record = try #require((run.sent.last as? CreateConversationRequest)?.record)
    #expect(record.personID == Household.annID)
    #expect(record.channel == "email")
    #expect(record.happenedAt == CommandRun.now)
    #expect(record.messages.map(\.content) == ["Hello"])
    #expect(record.messages.first?.writtenAt == CommandRun.now)
    #expect(record.messages.first?.writtenByMe == true)
    let bare = try await CommandRun.of(
      "talk", "log", "ann", "--channel", "text", "--at", "10 min ago", answer: self.answer)
    let other = try #require((bare.sent.last as? CreateConversationRequest)?.record)
    #expect(other.messages.isEmpty)
    #expect(other.happenedAt == Household.ago(600))
  }

  @Test("A conversation is shown with the writer of each message")
  func show() async throws {
    let run = try await CommandRun.of("talk", "show", "t-1", answer: self.answer)
    #expect(
      run.output == """
        Conversation with Ann Lee
          Channel  email
          When     2026-11-21 08:15 (1 hour ago)
          State    changed here and on the server; resolve it with: kith monica conflicts
          ID       t-1

          Ann Lee, 1 hour ago  m-1
            First line
            Second line
          You  m-2
            Thanks

        """)
  }

  @Test("A list is filtered by person and channel")
  func list() async throws {
    let run = try await CommandRun.of("talk", "list", Household.annID, "--channel", "email") { _ in
      ListConversationsReply.with { $0.conversations = [self.talk] }
    }
    let request = try #require(run.sent.first as? ListConversationsRequest)
    #expect(request.personID == Household.annID)
    #expect(request.channel == "email")
    #expect(
      run.output == """
        WHEN        AT                CHANNEL  MESSAGES  FIRST                   STATE     ID
        1 hour ago  2026-11-21 08:15  email           2  First line Second line  conflict  t-1

        """)
  }

  @Test("A reply adds a message")
  func reply() async throws {
    let run = try await CommandRun.of("talk", "reply", "t-1", "Thank", "you", "--at", "now", answer: self.answer)
    let request = try #require(run.sent.first as? AddMessageRequest)
    #expect(request.conversationID == "t-1")
    #expect(request.message.content == "Thank you")
    #expect(!request.message.writtenByMe)
  }

  @Test("A changed message keeps its writer and its time")
  func editMessage() async throws {
    let run = try await CommandRun.of("talk", "message", "edit", "t-1", "m-1", "Other", "words", answer: self.answer)
    let request = try #require(run.sent.last as? UpdateMessageRequest)
    #expect(request.message.id == "m-1")
    #expect(request.message.content == "Other words")
    #expect(request.message.writtenAt == Household.ago(3600))
    #expect(request.ifContent == self.talk.messages[0].content)
    let deleted = try await CommandRun.of("talk", "message", "delete", "t-1", "m-2", answer: self.answer)
    #expect((deleted.sent.last as? DeleteMessageRequest)?.messageID == "m-2")
  }

  @Test("An edit changes channel and time")
  func edit() async throws {
    let run = try await CommandRun.of("talk", "edit", "t-1", "--channel", "text", answer: self.answer)
    #expect((run.sent.first as? UpdateConversationRequest)?.fields == ["channel"])
  }
}
