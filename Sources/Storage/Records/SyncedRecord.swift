public import KithMessages
public import SwiftProtobuf

/// A record of any kind.
public typealias AnyRecord = RemoteRecord.OneOf_Record

/// What all records share: the first nine fields of each message in `records.proto`.
public protocol SyncedRecord: SwiftProtobuf.Message, Sendable, Equatable {
  /// The kind of records that the message is.
  static var kind: RecordKind { get }

  /// Ours, a UUIDv7; the same for ever.
  var id: String { get set }
  /// The server's; 0 until it has one.
  var monicaID: UInt64 { get set }
  /// The person that it belongs to; always empty for a person or a tag.
  var personID: String { get set }
  /// A ``RecordState/name``.
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
  /// The record that `any` holds; nil when it is of another kind.
  public init?(_ any: AnyRecord) {
    guard let record = any.record as? Self else { return nil }
    self = record
  }
}

extension RemoteRecord.OneOf_Record {
  /// The message that it holds.
  public var record: any SyncedRecord {
    switch self {
    case .person(let record): record
    case .contactField(let record): record
    case .address(let record): record
    case .note(let record): record
    case .task(let record): record
    case .activity(let record): record
    case .gift(let record): record
    case .tag(let record): record
    case .relationship(let record): record
    case .reminder(let record): record
    case .call(let record): record
    case .conversation(let record): record
    }
  }

  /// The kind of the record.
  public var kind: RecordKind { type(of: self.record).kind }
}

extension Person: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .person }
  /// As one of all records.
  public var any: AnyRecord { .person(self) }
  /// A person belongs to nobody.
  public var personID: String {
    get { "" }
    set {}
  }
}

extension Tag: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .tag }
  /// As one of all records.
  public var any: AnyRecord { .tag(self) }
  /// A tag belongs to nobody.
  public var personID: String {
    get { "" }
    set {}
  }
}

extension ContactField: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .contactField }
  /// As one of all records.
  public var any: AnyRecord { .contactField(self) }
}

extension PersonAddress: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .address }
  /// As one of all records.
  public var any: AnyRecord { .address(self) }
}

extension Note: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .note }
  /// As one of all records.
  public var any: AnyRecord { .note(self) }
}

extension TaskItem: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .task }
  /// As one of all records.
  public var any: AnyRecord { .task(self) }
}

extension Activity: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .activity }
  /// As one of all records.
  public var any: AnyRecord { .activity(self) }
}

extension Gift: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .gift }
  /// As one of all records.
  public var any: AnyRecord { .gift(self) }
}

extension Relationship: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .relationship }
  /// As one of all records.
  public var any: AnyRecord { .relationship(self) }
}

extension PersonReminder: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .reminder }
  /// As one of all records.
  public var any: AnyRecord { .reminder(self) }
}

extension Call: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .call }
  /// As one of all records.
  public var any: AnyRecord { .call(self) }
}

extension Conversation: SyncedRecord {
  /// Its kind.
  public static var kind: RecordKind { .conversation }
  /// As one of all records.
  public var any: AnyRecord { .conversation(self) }
}
