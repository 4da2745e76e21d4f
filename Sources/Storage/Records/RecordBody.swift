internal import KithMessages
internal import SwiftProtobuf

/// Between a record and the bytes that are stored of it.
extension RemoteRecord.OneOf_Record {
  /// Reads a stored body.
  init(_ kind: RecordKind, body: [UInt8]) throws {
    func read<R: SyncedRecord>(_ type: R.Type) throws -> AnyRecord { try R(serializedBytes: body).any }
    self = try read(kind.type)
  }

  /// The stored form: the record without the fields that are columns or follow from other rows.
  var body: [UInt8] {
    get throws { try self.stripped.record.serializedBytes() }
  }

  /// The record without what columns have and what follows from other rows.
  var stripped: AnyRecord { self.without { $0 == .derived } }

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
