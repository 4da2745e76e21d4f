internal import KithMessages
internal import SwiftProtobuf

/// Between a record and the bytes that are stored of it.
extension RemoteRecord.OneOf_Record {
  /// Reads a stored body.
  init(_ kind: RecordKind, body: [UInt8]) throws {
    func read<R: SyncedRecord>(_ type: R.Type) throws -> AnyRecord { try R(serializedBytes: body).any }
    self = try read(kind.type)
  }

  /// What is stored: the record without what columns have and what follows from other rows.
  var body: [UInt8] {
    get throws { try self.stripped.record.serializedBytes() }
  }

  /// The record without what columns have and what follows from other rows.
  var stripped: AnyRecord {
    func clear<R: SyncedRecord>(_ record: R) -> AnyRecord {
      var record = record
      record.id = ""
      record.monicaID = 0
      record.personID = ""
      record.syncState = ""
      record.clearSyncError()
      record.clearLastAttemptAt()
      record.clearCreatedAt()
      record.clearUpdatedAt()
      record.clearDeletedAt()
      return record.any
    }
    switch clear(self.record) {
    case .person(var person):
      person.contactID = ""
      person.clearLastInteractionAt()
      return person.any
    case .tag(var tag):
      tag.people = 0
      return tag.any
    case .relationship(var relationship):
      relationship.otherName = ""
      return relationship.any
    case .call(var call):
      call.personName = ""
      return call.any
    case .conversation(var conversation):
      conversation.personName = ""
      return conversation.any
    case let other: return other
    }
  }

  /// Whether the server has to be told nothing to have this where it has `base`. What stays on the hub does not count.
  func isSame(as base: AnyRecord) -> Bool { self.stripped.withoutHubFields == base.stripped.withoutHubFields }

  /// The record with what stays on the hub taken from another one.
  func takingHubFields(of other: AnyRecord) -> AnyRecord {
    switch (self, other) {
    case (.call(var call), .call(let known)):
      call.attachments = known.attachments
      call.isRunning = known.isRunning
      return call.any
    case (.person(var person), .person(let known)) where known.hasPhoto:
      person.photo = known.photo
      return person.any
    default: return self
    }
  }

  private var withoutHubFields: AnyRecord {
    switch self {
    case .call(var call):
      call.attachments = []
      call.isRunning = false
      return call.any
    case .person(var person):
      person.clearPhoto()
      return person.any
    default: return self
    }
  }

  /// Ids of the people it is about, each once, the one it belongs to first.
  var people: [String] {
    var ids = [self.record.personID]
    switch self {
    case .activity(let activity): ids += activity.participants
    case .relationship(let relationship): ids.append(relationship.otherID)
    default: break
    }
    var seen: Set<String> = [""]
    return ids.filter { seen.insert($0).inserted }
  }

  /// Changes the fields that all kinds share.
  mutating func edit(_ change: (inout any SyncedRecord) -> Void) {
    var record = self.record
    change(&record)
    self = record.any
  }
}
