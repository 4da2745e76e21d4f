internal import KithMessages
internal import SwiftProtobuf

/// `/conversations`, with their messages. The channel is a contact field type.
struct ConversationResource: Sendable {
  static let path = "conversations"

  let head: RecordHead
  let owner: UInt64?
  let happenedAt: Google_Protobuf_Timestamp
  let type: ContactFieldTypeResource?
  var messages: [MessageResource]

  static func list(of person: UInt64?) -> ListRoute? {
    ListRoute(path: person.map { "contacts/\($0)/conversations" } ?? Self.path, isSortable: true)
  }

  /// Channels whose names do not depend on the account's language, each with the name for a new type.
  private static let channels = [("in person", "In person"), ("text", "Text"), ("email", "Email"), ("phone", "Phone")]

  /// The channel of a type.
  static func channel(_ type: ContactFieldTypeResource?) -> String {
    guard let name = type?.publicName else { return "" }
    return Self.channels.first { $0.0 == name.lowercased() }?.0 ?? name
  }

  /// The name for a new type of a channel.
  static func typeName(_ channel: String) -> String {
    Self.channels.first { $0.0 == channel.lowercased() }?.1 ?? channel
  }
}

extension ConversationResource: Decodable {
  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.head = try RecordHead(fields)
    self.owner = try fields.object(ShortPerson.self, "contact")?.id
    guard let happenedAt = fields.time("happened_at") else { throw fields.missing("happened_at") }
    self.happenedAt = happenedAt
    self.type = try fields.object(ContactFieldTypeResource.self, "contact_field_type")
    guard let messages = try fields.list(MessageResource.self, "messages") else { throw fields.missing("messages") }
    self.messages = messages
  }
}

extension ConversationResource {
  var record: RemoteRecord? {
    var conversation = Conversation()
    conversation.channel = Self.channel(self.type)
    conversation.happenedAt = self.happenedAt
    conversation.messages = self.messages.map(\.message)
    self.head.stamp(&conversation, \.createdAt, \.updatedAt)
    return self.head.remote(of: self.owner, .conversation(conversation))
  }

  /// Messages are identified by the server's ids; those without an id by their content.
  static func facts(_ record: RemoteRecord) -> Facts {
    var facts = Facts()
    facts.set("owner", record.owner)
    facts.set("channel", record.conversation.channel.lowercased())
    facts.set("happened_at", record.conversation.happenedAt)
    for (index, message) in record.conversation.messages.enumerated() {
      let name = message.monicaID == 0 ? "new \(index)" : String(message.monicaID)
      facts.set("messages.\(name)", MessageResource.words(message))
    }
    return facts
  }
}

/// A message of a conversation.
struct MessageResource: Decodable, Sendable {
  let id: UInt64
  let uuid: String
  let content: String
  let writtenAt: Google_Protobuf_Timestamp
  let isByMe: Bool

  init(from decoder: any Swift.Decoder) throws {
    let fields = try Fields(decoder)
    self.id = try fields.id()
    self.uuid = fields.text("uuid")
    self.content = ServerText.clean(fields.text("content"))
    guard let writtenAt = fields.time("written_at") else { throw fields.missing("written_at") }
    self.writtenAt = writtenAt
    self.isByMe = fields.flag("written_by_me") ?? false
  }

  /// Its id is the UUID, which is ours for messages written here.
  var message: ConversationMessage {
    var message = ConversationMessage()
    message.id = self.uuid
    message.monicaID = self.id
    message.content = self.content
    message.writtenAt = self.writtenAt
    message.writtenByMe = self.isByMe
    return message
  }

  /// All values of a message as one text.
  static func words(_ message: ConversationMessage) -> String {
    "\(ServerTime.text(message.writtenAt)) \(message.writtenByMe ? ">" : "<") \(ServerText.clean(message.content))"
  }
}
