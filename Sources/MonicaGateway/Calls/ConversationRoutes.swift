internal import Bus
internal import Fields
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension MonicaGatewayActor {
  /// The methods of `Conversations`.
  nonisolated var conversationRoutes: [Route] {
    [
      self.listing(ListConversationsRequest.self), self.reading(GetConversationRequest.self),
      self.creating(CreateConversationRequest.self), self.changing(UpdateConversationRequest.self),
      self.deleting(DeleteConversationRequest.self), self.restoring(RestoreConversationRequest.self),
      self.writing(AddMessageRequest.self) { request, transaction, now throws(Failure) in
        try transaction.once(message: request) { () throws(Failure) in
          try transaction.edit(request.conversationID, now: now) { conversation throws(Failure) in
            var message = request.message
            message.id = UUIDv7.make().text
            message.monicaID = 0
            if !message.hasWrittenAt { message.writtenAt = .init(nanosecondsSince1970: now) }
            conversation.messages.append(try message.checked(now: now))
            if let why = conversation.isFull { throw .invalid(field: "message", why) }
          }
        }
      },
      self.writing(UpdateMessageRequest.self) { request, transaction, now throws(Failure) in
        try transaction.edit(request.conversationID, now: now) { conversation throws(Failure) in
          let index = try conversation.index(ofMessage: request.message.id)
          try conversation.require(request, at: index)
          var message = request.message
          message.monicaID = conversation.messages[index].monicaID
          if !message.hasWrittenAt { message.writtenAt = conversation.messages[index].writtenAt }
          conversation.messages[index] = try message.checked(now: now)
          if let why = conversation.isFull { throw .invalid(field: "message", why) }
        }
      },
      self.writing(DeleteMessageRequest.self) { request, transaction, now throws(Failure) in
        try transaction.edit(request.conversationID, now: now) { conversation throws(Failure) in
          conversation.messages.remove(at: try conversation.index(ofMessage: request.messageID))
        }
      },
    ]
  }
}

extension ListConversationsRequest: RecordQuerying {
  var query: RecordQuery {
    get throws(Failure) {
      var query = self.ofPerson
      if !self.channel.isEmpty { query.channel = self.channel }
      try query.restrict(to: self)
      return query
    }
  }
}

extension Conversation {
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`.
  fileprivate func index(ofMessage id: String) throws(Failure) -> Int {
    guard !id.isEmpty, let index = self.messages.firstIndex(where: { $0.id == id }) else {
      throw .unknownRecord(id, "There is no message '\(id.prefix(64))' in this conversation.")
    }
    return index
  }

  /// Requires that a message is as the caller shows it.
  ///
  /// - Throws: `ABORTED/CHANGED_MEANWHILE`; `INVALID_ARGUMENT/FIELD_INVALID` also if the caller shows the part of a message that a reply
  ///   had room for.
  fileprivate func require(_ request: UpdateMessageRequest, at index: Int) throws(Failure) {
    let (message, content) = (self.messages[index], request.ifContent.plainLines.trimmed)
    if let why = TextLimit(ConversationMessage.longest).fault(of: content) { throw .invalid(field: "if_content", why) }
    let isSameText = request.ifContent.isEmpty || message.knownContent.trimmed == content
    let isSameWriter = !request.hasIfWrittenByMe || request.ifWrittenByMe == message.writtenByMe
    guard !isSameText || !isSameWriter else { return }
    let shown = try PageLimit.fit(self).messages.first { $0.id == message.id } ?? message
    guard isSameText || shown.content == message.content || shown.knownContent.trimmed != content else {
      throw .invalid(
        field: "if_content",
        "is the beginning of a message that is too long for a reply, and a correction would replace all of it. Correct it on the server."
      )
    }
    throw .changedMeanwhile(
      "This message", at: self.updatedAt,
      now: [("content", message.content), ("written_by_me", message.writtenByMe ? "true" : "false")])
  }
}

extension ConversationMessage {
  /// The message, checked and normalized.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  fileprivate func checked(now: Int64) throws(Failure) -> ConversationMessage {
    var message = self
    message.content.trim()
    if let why = message.fault(now: now) { throw .invalid(field: "message", why) }
    return message
  }
}

extension Transaction {
  /// Adds a message once for each client id; later calls return the present conversation.
  fileprivate func once(
    message request: AddMessageRequest, _ add: () throws(Failure) -> Conversation
  ) throws(Failure) -> Conversation {
    try self.creations.once(request.clientID, of: "message", id: { $0.id }) { id throws(Failure) in
      try self.records.get(Conversation.self, id)
    } make: { () throws(Failure) in
      try add()
    }
  }

  /// Changes the messages of a conversation.
  ///
  /// - Throws: `NOT_FOUND/RECORD_UNKNOWN`, `FAILED_PRECONDITION/RECORD_DELETED`, the errors of `body`.
  fileprivate func edit(
    _ id: String, now: Int64, _ body: (inout Conversation) throws(Failure) -> Void
  ) throws(Failure) -> Conversation {
    var conversation = try self.records.require(Conversation.self, id)
    try body(&conversation)
    return try self.records.update(conversation, now: now)
  }
}
