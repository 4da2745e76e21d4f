public import SwiftProtobuf

/// A record of any kind.
public typealias AnyRecord = RemoteRecord.OneOf_Record

/// What all records share: the first nine fields of each message in `records.proto`.
///
/// ```swift
/// func title(of record: some SyncedRecord) -> String { "\(type(of: record).kind) \(record.id)" }
/// ```
public protocol SyncedRecord: CheckedMessage, Equatable {
  /// The kind of records that the message is.
  static var kind: RecordKind { get }

  /// Ours, a UUIDv7; the same for ever.
  var id: String { get set }
  /// The server's; 0 until it has one.
  var monicaID: UInt64 { get set }
  /// The person that it belongs to; always empty for a person or a tag.
  var personID: String { get set }
  /// "pending", "synced" and the like.
  var syncState: String { get set }
  /// Why the last attempt failed.
  var syncError: Status { get set }
  /// Whether the last attempt failed.
  var hasSyncError: Bool { get }
  /// Takes the error away.
  mutating func clearSyncError()
  /// When it was last sent.
  var lastAttemptAt: Google_Protobuf_Timestamp { get set }
  /// Whether it was ever sent.
  var hasLastAttemptAt: Bool { get }
  /// Takes the moment away.
  mutating func clearLastAttemptAt()
  /// When it was made.
  var createdAt: Google_Protobuf_Timestamp { get set }
  /// Whether it is known when it was made.
  var hasCreatedAt: Bool { get }
  /// Takes the moment away.
  mutating func clearCreatedAt()
  /// When it was last changed.
  var updatedAt: Google_Protobuf_Timestamp { get set }
  /// Whether it is known when it was last changed.
  var hasUpdatedAt: Bool { get }
  /// Takes the moment away.
  mutating func clearUpdatedAt()
  /// When it was deleted.
  var deletedAt: Google_Protobuf_Timestamp { get set }
  /// Whether it is deleted.
  var hasDeletedAt: Bool { get }
  /// Takes the moment away.
  mutating func clearDeletedAt()

  /// The record among those of all kinds.
  var any: AnyRecord { get }
}

extension SyncedRecord {
  /// The record in `any`; nil if it is of another kind.
  public init?(_ any: AnyRecord) {
    guard let record = any.record as? Self else { return nil }
    self = record
  }

  /// The rules of its fields, in the order of `proto/`.
  public static var fieldRules: [FieldRules] { Self.fields.map(\.rules) }
}

extension RemoteRecord.OneOf_Record {
  /// The kind of the record.
  public var kind: RecordKind { type(of: self.record).kind }
}

extension RecordKind {
  /// The name on the wire: "contact_field".
  public var name: String { self.rules.kind }

  /// Finds a kind by its name on the wire; nil if there is none.
  public init?(named name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }

  /// The rules of the fields of its records, in the order of `proto/`.
  public var fields: [FieldRules] { self.type.fieldRules }
}
