internal import GRDB
internal import KithMessages
internal import SwiftProtobuf

/// A row of `record`, as writing needs it.
struct StoredRecord {
  /// 0 = not in the table yet.
  var row: Int64 = 0
  var id: String
  var account: Int64
  var monicaID: UInt64 = 0
  var state = RecordState.synced
  /// Nanoseconds since 1970, as the other moments.
  var createdAt: Int64
  var updatedAt: Int64
  var deletedAt: Int64?
  var lastAttemptAt: Int64?
  /// When the server last changed it, by the server's clock.
  var remoteStamp: Int64?
  /// When the server made it, by the server's clock: another time under the same id is another record. nil = unknown, or not there.
  var remoteMadeAt: Int64?
  /// Whether it was deleted here and the server does not have it either. False for a record that was deleted here only because the server
  /// lacked it.
  var isDeletedThere = false
  /// What it was on the server that does not have it any more: its id, and when the server had made it. By both it is known again.
  var left: (id: Int64, madeAt: Int64?)?
  /// The content with its owner. Other fields that have columns of their own are empty.
  var content: AnyRecord
  /// The server's last known version.
  var base: AnyRecord?

  var kind: RecordKind { self.content.kind }
  var isOnServer: Bool { self.monicaID != 0 }
  var isDeleted: Bool { self.deletedAt != nil }
  /// Whether the server has it, or had it until it was deleted here.
  var wasOnServer: Bool { self.isOnServer || self.isDeletedThere }
  /// Whether the server has what it says.
  var isSameAsBase: Bool { self.base.map(self.content.isSame(as:)) ?? false }
  var traits: RecordTraits { RecordTraits(of: self.content, createdAt: self.createdAt) }

  static let selection = """
    SELECT record.id, record.kind, record.uuid, record.account, record.monica_id, record.state, record.created_at,
      record.updated_at, record.deleted_at, record.last_attempt_at, record.remote_stamp, record.body, record.base, owner.uuid,
      record.remote_made, record.deleted_there, record.left_id, record.left_made
    FROM record LEFT JOIN record AS owner ON owner.id = record.owner
    """

  /// Reads a row of ``selection``.
  init(from row: EngineRow) throws {
    guard let kind = RecordKind(rawValue: Int(row.integer(1))) else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
    let owner = row.text(13)
    self.row = row.integer(0)
    self.id = row.text(2)
    self.account = row.integer(3)
    self.monicaID = UInt64(bitPattern: row.integer(4))
    self.state = RecordState(rawValue: Int(row.integer(5))) ?? .synced
    self.createdAt = row.integer(6)
    self.updatedAt = row.integer(7)
    self.deletedAt = row.isNull(8) ? nil : row.integer(8)
    self.lastAttemptAt = row.isNull(9) ? nil : row.integer(9)
    self.remoteStamp = row.isNull(10) ? nil : row.integer(10)
    self.remoteMadeAt = row.isNull(14) ? nil : row.integer(14)
    self.isDeletedThere = row.integer(15) != 0
    self.left = row.isNull(16) ? nil : (row.integer(16), row.isNull(17) ? nil : row.integer(17))
    self.content = try Self.content(kind, row.blob(11), owner: owner)
    self.base = row.isNull(12) ? nil : try Self.content(kind, row.blob(12), owner: owner)
  }

  /// Makes one that is not stored yet.
  init(_ content: AnyRecord, id: String, account: Int64, createdAt: Int64, updatedAt: Int64) {
    self.id = id
    self.account = account
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.content = content
  }

  /// Stores that the server does not have it under its id any more. What the server's version said is kept: ``base``.
  mutating func leaveServer() {
    self.isDeletedThere = self.isDeleted && self.wasOnServer
    if self.isOnServer { self.left = (Int64(bitPattern: self.monicaID), self.remoteMadeAt) }
    self.monicaID = 0
    self.remoteStamp = nil
    self.remoteMadeAt = nil
  }

  /// A stored body with whom it belongs to.
  static func content(_ kind: RecordKind, _ body: [UInt8], owner: String) throws -> AnyRecord {
    var content = try AnyRecord(kind, body: body)
    content.edit { $0.personID = owner }
    return content
  }
}
