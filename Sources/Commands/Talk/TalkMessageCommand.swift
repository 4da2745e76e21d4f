internal import ArgumentParser
internal import Bus
internal import KithMessages

struct ReplyCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "reply", abstract: "Add a message to a conversation.",
    discussion: "Example: kith talk reply \(IDText.example) 'Thank you' --by-me")

  @OptionGroup var global: GlobalOptions

  @Argument(help: IDText.help)
  var target: RecordID<Conversation>

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
    discussion: "Example: kith talk message edit \(IDText.example) \(IDText.example) Thank you all",
    subcommands: [EditMessageCommand.self, DeleteMessageCommand.self])

  @OptionGroup var global: GlobalOptions
}

/// The ids of a conversation and of one of its messages; `kith talk show` prints both.
struct MessageReference: ParsableArguments {
  @Argument(help: ArgumentHelp("The id of the conversation, the end of it, or last.", valueName: "conversation"))
  var conversation: RecordID<Conversation>

  @Argument(help: "The id of the message, as `kith talk show` shows it; the end of it; or last.")
  var message: String

  /// The conversation and the id of the message.
  func find(_ session: Session) async throws(Failure) -> (conversation: Conversation, messageID: String) {
    var request = GetConversationRequest()
    request.id = try await self.conversation.id(session)
    let conversation = try await session.ask(request)
    let ids = conversation.messages.map(\.id)
    let typed = self.message.lowercased()
    guard typed != IDText.last else { return (conversation, ids.last ?? self.message) }
    let meant = ids.filter { $0.hasSuffix(typed) || $0.hasPrefix(typed) }
    // What is not the part of exactly one goes to kithd, which says what is wrong with it.
    return (conversation, meant.count == 1 ? meant[0] : self.message)
  }
}

struct EditMessageCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change a message of a conversation.",
    discussion: "Example: kith talk message edit \(IDText.example) \(IDText.example) Thank you all")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var target: MessageReference

  @Argument(help: "What was said or written.")
  var text: [String]

  func run(_ session: Session) async throws {
    let (conversation, id) = try await self.target.find(session)
    // The request carries the whole message, so time and writer are kept: they have to be known.
    guard let message = conversation.messages.first(where: { $0.id == id }) else {
      throw Failure.unknownRecord(
        id,
        "This conversation has no message '\(id.prefix(64))' that kith can show. `kith talk show \(conversation.id)` lists them."
      )
    }
    var request = UpdateMessageRequest()
    request.conversationID = conversation.id
    request.message = message
    request.ifContent = message.knownContent
    request.ifWrittenByMe = message.writtenByMe
    request.message.content = self.text.joined(separator: " ")
    try await session.show(try await session.ask(request))
  }
}

struct DeleteMessageCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a message of a conversation.",
    discussion: "Example: kith talk message delete \(IDText.example) \(IDText.example)")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var target: MessageReference

  func run(_ session: Session) async throws {
    var request = DeleteMessageRequest()
    let (conversation, id) = try await self.target.find(session)
    request.conversationID = conversation.id
    request.messageID = id
    try await session.show(try await session.ask(request))
  }
}
