internal import ArgumentParser
internal import Bus
internal import KithMessages

struct TalkCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "talk", abstract: "Conversations with people: in person, by email, by text.",
    discussion: "Example: kith talk log ann --channel email --note 'She sends the photos'",
    subcommands: [
      AddRecordCommand<Owned<NewTalkArguments>>.self, ListRecordsCommand<TalkFilter>.self,
      ShowRecordCommand<Conversation>.self,
      EditRecordCommand<TalkEdits>.self, DeleteRecordCommand<Conversation>.self,
      RestoreRecordCommand<Conversation>.self, ReplyCommand.self,
      TalkMessageCommand.self,
    ])

  @OptionGroup var global: GlobalOptions
}

/// A new conversation, with its first message.
struct NewTalkArguments: RecordArguments {
  @Option(help: "in person, email, text, or another type that `kith monica catalog contact_field_type` lists.")
  var channel: String

  @OptionGroup var message: MessageOptions

  @Option(parsing: .unconditional, help: "What was said or written, at most 10,000 characters.")
  var note: String?

  func fill(_ changes: inout Changes<Conversation>, _ session: Session) throws(Failure) {
    let moment = try self.message.when.moment(session) ?? session.now
    changes.set(\.channel, "channel", self.channel)
    changes.set(\.happenedAt, "happened_at", moment)
    changes.set(
      \.messages, "messages", try self.note.map { (note) throws(Failure) in [try self.message.message(note, session)] })
  }
}

/// The fields of a conversation that `edit` changes.
struct TalkEdits: RecordArguments {
  @Option(help: "in person, email, text, or another type that `kith monica catalog contact_field_type` lists.")
  var channel: String?

  @OptionGroup var when: MomentOption

  func fill(_ changes: inout Changes<Conversation>, _ session: Session) throws(Failure) {
    changes.set(\.channel, "channel", self.channel)
    changes.set(\.happenedAt, "happened_at", try self.when.moment(session))
  }
}

struct TalkFilter: RecordFilter {
  typealias Record = Conversation

  static let example = "ann --channel email"

  @OptionGroup var span: SpanOptions

  @Option(help: "Only over this channel.")
  var channel = ""

  func fill(_ request: inout ListConversationsRequest, _ session: Session) throws(Failure) {
    request.channel = self.channel
    try self.span.fill(&request, session)
  }
}

/// The writer of a message, and its time.
struct MessageOptions: ParsableArguments {
  @OptionGroup var when: MomentOption

  @Flag(help: "You wrote or said it. Default: the other person did.")
  var byMe = false

  /// The message, written now unless --at names another time.
  func message(_ text: String, _ session: Session) throws(Failure) -> ConversationMessage {
    var message = ConversationMessage()
    message.content = text
    message.writtenAt = try self.when.moment(session) ?? session.now
    message.writtenByMe = self.byMe
    return message
  }
}

extension Conversation: OwnedRecord, ListedRecord, RestorableRecord {
  typealias Creation = CreateConversationRequest
  typealias Change = UpdateConversationRequest
  typealias Deletion = DeleteConversationRequest
  typealias Lookup = GetConversationRequest
  typealias Restoration = RestoreConversationRequest
  typealias Listing = ListConversationsRequest

  static let noun = Noun(
    command: "talk", singular: "conversation", plural: "conversations", japanese: "会話", creation: "log",
    newExample: "ann --channel email --note 'She sends the photos'", changeExample: "--channel text")
  static let headings: [Column] = [
    Column("WHEN", "いつ"), Column("AT", "日時", drops: 1), Column("CHANNEL", "手段", drops: 2),
    Column("MESSAGES", "件数", .right, drops: 1),
    Column("FIRST", "内容", wraps: true),
  ]
  static let isListedByPerson = false

  var knownNames: [String: String] { self.personName.isEmpty ? [:] : [self.personID: self.personName] }

  func headline(_ names: PersonNames, _ say: Language) -> String {
    say("Conversation with \(names[self.personID])", "\(names[self.personID])との会話")
  }

  func facts(_ names: PersonNames, _ session: Session) -> [Details.Row] {
    let say = session.language
    return [(say("Channel", "手段"), self.channelWords(say)), (say("When", "いつ"), session.moment(self.happenedAt))]
  }

  func prose(_ names: PersonNames, _ session: Session) -> [String] {
    guard !self.messages.isEmpty else { return [session.language("No messages", "内容はありません")] }
    return self.messages.flatMap { message in
      let writer = message.writtenByMe ? session.language("You", "自分") : Printable.text(names[self.personID])
      let head = [writer, session.ago(message.writtenAt)].filter { !$0.isEmpty }.joined(separator: ", ")
      return ["\(head)  \(session.console.style.dim(Printable.text(session.ids[message.id])))"]
        + Printable.lines(message.content).map { "  " + $0 }
    }
  }

  func cells(_ names: PersonNames, _ session: Session) -> [String] {
    [
      session.ago(self.happenedAt), session.zone.text(self.happenedAt), self.channelWords(session.language),
      Count.grouped(self.messages.count),
      self.summary,
    ]
  }

  /// How it was: `in person`, `email`; a type of the server's own as it is.
  func channelWords(_ say: Language) -> String {
    switch self.channel {
    case "in person": say("in person", "対面")
    case "text": say("text", "メッセージ")
    default: CommonName.words(.contactFieldType, self.channel, say)
    }
  }

  /// The conversation in a few words, without person and channel.
  var summary: String { self.messages.first?.content ?? "" }
}
