internal import KithMessages
internal import SwiftProtobuf

/// Changes a conversation: the conversation itself, then each message that differs, one after another. Each step starts
/// from the answer to the previous one, so that an interrupted attempt can be continued.
extension ConversationResource: WritableResource {
  /// The server keeps our UUID.
  func isTrace(of want: RemoteRecord, since: Int64) -> Bool {
    guard want.clientID.isEmpty else { return self.head.uuid.lowercased() == want.clientID.lowercased() }
    return !self.isPast(want, since: since) && self.happenedAt.seconds == want.conversation.happenedAt.seconds
      && Self.channel(self.type).lowercased() == want.conversation.channel.lowercased()
  }

  /// Adds the server's ids to the messages that the server has.
  static func aligned(
    _ record: RemoteRecord, with current: Self?, _ session: PushSession
  ) async throws(MonicaError) -> RemoteRecord {
    guard let current else { return record }
    var aligned = record
    aligned.conversation.messages = MessagePairing(record.conversation.messages, current.messages).named
    return aligned
  }

  static func body(
    _ want: RemoteRecord, over current: Self?, _ catalog: CatalogReader
  ) async throws(MonicaError) -> JSONValue {
    var body: [String: JSONValue] = ["happened_at": .text(ServerTime.text(want.conversation.happenedAt))]
    let channel = want.conversation.channel
    if let current, let type = current.type, Self.channel(type).lowercased() == channel.lowercased() {
      body["contact_field_type_id"] = .id(type.id)
    } else {
      body["contact_field_type_id"] = .id(
        try await catalog.id(of: Self.typeName(channel), in: .contactFieldType, field: "channel"))
    }
    if current == nil {
      body["contact_id"] = .id(want.owner)
      if !want.clientID.isEmpty { body["uuid"] = .text(want.clientID) }
    }
    return .object(body)
  }

  static func make(_ want: RemoteRecord, _ session: PushSession) async throws(MonicaError) -> Self {
    try await NameCreator(session: session).provideType(ofChannel: want.conversation.channel)
    let made: Self = try await session.post(Self.path, try await Self.body(want, over: nil, session.catalog))
    return try await made.settled(want, base: nil, session)
  }

  func replaced(
    with want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self {
    var current = self
    let channel = want.conversation.channel.lowercased()
    if self.happenedAt.seconds != want.conversation.happenedAt.seconds
      || Self.channel(self.type).lowercased() != channel
    {
      if Self.channel(self.type).lowercased() != channel {
        try await NameCreator(session: session).provideType(ofChannel: want.conversation.channel)
      }
      current = try await session.put(
        "\(Self.path)/\(self.head.id)", try await Self.body(want, over: self, session.catalog))
    }
    return try await current.settled(want, base: base, session)
  }

  // MARK: - Messages

  /// Changes the messages to the wanted ones. Only messages that existed when the change was made are deleted.
  private func settled(
    _ want: RemoteRecord, base: RemoteRecord?, _ session: PushSession
  ) async throws(MonicaError) -> Self {
    var current = self
    let path = "\(Self.path)/\(self.head.id)/messages"
    let wanted = MessagePairing(want.conversation.messages, self.messages).named
    for message in wanted {
      if let known = current.messages.first(where: { $0.id == message.monicaID }) {
        guard MessageResource.words(known.message) != MessageResource.words(message) else { continue }
        current = try await session.put("\(path)/\(known.id)", Self.body(message))
      } else {
        current = try await session.post(path, Self.body(message))
      }
    }
    let kept = Set(wanted.map(\.monicaID))
    for message in base?.conversation.messages ?? [] where message.monicaID != 0 && !kept.contains(message.monicaID) {
      guard current.messages.contains(where: { $0.id == message.monicaID }) else { continue }
      do throws(MonicaError) { try await session.delete("\(path)/\(message.monicaID)") } catch {
        // Someone else has deleted it already.
        guard error.fault == .missing else { throw error }
      }
      current.messages.removeAll { $0.id == message.monicaID }
    }
    return current
  }

  private static func body(_ message: ConversationMessage) -> JSONValue {
    var body: [String: JSONValue] = [
      "written_at": .text(ServerTime.text(message.writtenAt)), "written_by_me": .flag(message.writtenByMe),
      "content": .text(ServerText.clean(message.content)),
    ]
    if message.monicaID == 0, !message.id.isEmpty { body["uuid"] = .text(message.id) }
    return .object(body)
  }
}

/// Matches our messages with those of the server: by the server's id, by our UUID, and a message with neither by its
/// content.
struct MessagePairing {
  /// The messages, with the server's ids if the server has them.
  private(set) var named: [ConversationMessage]

  init(_ messages: [ConversationMessage], _ there: [MessageResource]) {
    self.named = messages
    var open = there
    func take(where matches: (MessageResource) -> Bool) -> UInt64? {
      open.firstIndex(where: matches).map { open.remove(at: $0).id }
    }
    let known = Set(messages.map(\.monicaID))
    open.removeAll { known.contains($0.id) }
    for index in messages.indices where self.named[index].monicaID == 0 && !messages[index].id.isEmpty {
      let uuid = messages[index].id.lowercased()
      self.named[index].monicaID = take { $0.uuid.lowercased() == uuid } ?? 0
    }
    for index in messages.indices where self.named[index].monicaID == 0 {
      let words = MessageResource.words(messages[index])
      self.named[index].monicaID = take { MessageResource.words($0.message) == words } ?? 0
    }
  }
}
