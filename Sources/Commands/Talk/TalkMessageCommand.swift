internal import ArgumentParser
internal import KithMessages

struct ReplyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "reply", abstract: "Add a message to a conversation.",
    discussion: "Example: kith talk reply \(RecordID.example) 'Thank you' --by-me")

  @OptionGroup var global: GlobalOptions

  @Argument(help: RecordID.help)
  var target: RecordID

  @Argument(help: "What was said or written.")
  var text: [String]

  @OptionGroup var message: MessageOptions

  func run(_ session: Session) async throws {
    var request = AddMessageRequest()
    request.conversationID = try await self.target.id(session)
    request.message = try self.message.message(self.text.joined(separator: " "), session)
    try await session.show(try await session.ask(request))
  }
}

struct TalkMessageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message", abstract: "The messages of a conversation.",
    discussion: "Example: kith talk message edit \(RecordID.example) \(RecordID.example) Thank you all",
    subcommands: [EditMessageCommand.self, DeleteMessageCommand.self])

  @OptionGroup var global: GlobalOptions
}

/// The ids of a conversation and of one of its messages; `kith talk show` prints both.
struct MessageReference: ParsableArguments {
  @Argument(help: "The id of the conversation.")
  var conversation: String

  @Argument(help: "The id of the message, as `kith talk show` shows it.")
  var message: String
}

struct EditMessageCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a message of a conversation.",
    discussion: "Example: kith talk message edit \(RecordID.example) \(RecordID.example) Thank you all")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var target: MessageReference

  @Argument(help: "What was said or written.")
  var text: [String]

  func run(_ session: Session) async throws {
    var lookup = GetConversationRequest()
    lookup.id = self.target.conversation
    // The request carries the whole message, so time and writer are kept.
    let messages = try await session.ask(lookup).messages
    var request = UpdateMessageRequest()
    request.conversationID = self.target.conversation
    request.message = messages.first { $0.id == self.target.message } ?? ConversationMessage()
    request.message.id = self.target.message
    request.message.content = self.text.joined(separator: " ")
    try await session.show(try await session.ask(request))
  }
}

struct DeleteMessageCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a message of a conversation.",
    discussion: "Example: kith talk message delete \(RecordID.example) \(RecordID.example)")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var target: MessageReference

  func run(_ session: Session) async throws {
    var request = DeleteMessageRequest()
    request.conversationID = self.target.conversation
    request.messageID = self.target.message
    try await session.show(try await session.ask(request))
  }
}
