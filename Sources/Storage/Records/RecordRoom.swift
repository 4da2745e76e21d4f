public import Bus
public import KithMessages

extension PageLimit {
  /// Characters of each text of a record that is too large for one reply.
  private static let textLength = 4096

  /// A record as one reply can hold it: of one that is too large the texts are cut, and of a conversation the oldest messages are
  /// left out. It says so of itself.
  ///
  /// Of what is written here none is so large; what was written on the web may be.
  ///
  /// - Throws: `INTERNAL/BUG` for a record that cannot be written at all.
  public static func fit<R: SyncedRecord>(_ record: R) throws(Failure) -> R {
    // In JSON it is up to six times as large, when all of it has to be escaped.
    guard try Encoding.pb.encode(record).count > Self.bodyBytes / 6, try self.room(of: record) > self.bodyBytes else {
      return record
    }
    return R(try self.cut(record.any)) ?? record
  }

  private static func room<R: SyncedRecord>(of record: R) throws(Failure) -> Int {
    try Encoding.json.encode(record).count
  }

  private static func cut(_ record: AnyRecord) throws(Failure) -> AnyRecord {
    func cut(_ text: inout String) { text = String(text.unicodeScalars.prefix(Self.textLength)) }
    switch record {
    case .note(var note):
      cut(&note.body)
      note.truncated = true
      return note.any
    case .task(var task):
      cut(&task.description_p)
      task.truncated = true
      return task.any
    case .activity(var activity):
      cut(&activity.description_p)
      activity.truncated = true
      return activity.any
    case .gift(var gift):
      cut(&gift.comment)
      gift.truncated = true
      return gift.any
    case .reminder(var reminder):
      cut(&reminder.title)
      cut(&reminder.description_p)
      reminder.truncated = true
      return reminder.any
    case .call(var call):
      cut(&call.note)
      call.truncated = true
      return call.any
    case .conversation(let conversation): return try self.cut(conversation).any
    case .person, .contactField, .address, .tag, .relationship: return record
    }
  }

  /// The conversation with as many of its newest messages as there is room for.
  private static func cut(_ conversation: Conversation) throws(Failure) -> Conversation {
    var cut = conversation
    cut.messages = []
    cut.truncated = true
    var left = try self.bodyBytes - self.room(of: cut)
    for message in conversation.messages.reversed() {
      var message = message
      if message.content.utf8.count > Self.bodyBytes / 6 {
        message.content = String(message.content.unicodeScalars.prefix(Self.textLength))
      }
      left -= try Encoding.json.encode(message).count + 1
      guard left > 0 else { break }
      cut.messages.append(message)
    }
    cut.messages.reverse()
    return cut
  }
}

extension RemoteRecord.OneOf_Record {
  /// Whether it is what ``PageLimit/fit(_:)`` left of a record.
  public var isTruncated: Bool {
    switch self {
    case .note(let note): note.truncated
    case .task(let task): task.truncated
    case .activity(let activity): activity.truncated
    case .gift(let gift): gift.truncated
    case .reminder(let reminder): reminder.truncated
    case .call(let call): call.truncated
    case .conversation(let conversation): conversation.truncated
    case .person, .contactField, .address, .tag, .relationship: false
    }
  }
}
