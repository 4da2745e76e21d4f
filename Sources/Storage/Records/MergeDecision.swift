public import KithMessages

/// The stored record for one that the server has sent.
public struct LocalRecord: Sendable {
  /// Its row.
  public let row: Int64
  /// The record, with id and state; people by our ids.
  public let record: AnyRecord
  /// The server's last known version; nil if unknown.
  public let base: AnyRecord?
  /// The content in flight, or of an attempt that may have arrived.
  public let sent: AnyRecord?
  /// The queued operation; nil if there is none.
  public let operation: OutboxOperation?
  /// Its sync state.
  public let state: RecordState
  /// When the server last changed it, in nanoseconds since 1970, as it was last seen.
  public let stamp: Int64?
  /// When a change of it was last sent, in nanoseconds since 1970; nil if none was.
  public let sentAt: Int64?
  /// Whether it is deleted here.
  public let isDeleted: Bool
  /// Whether it is in conflict because the server did not have it.
  public let isLost: Bool
  /// Whether the server has it, or had it until it was deleted here.
  public let wasOnServer: Bool
  /// Whether the server had it and lost it, and no version of it is known that both sides have had since.
  public let hasLeft: Bool
}

/// The decision about a record that the server has sent.
public enum MergeDecision: Sendable, Equatable {
  /// Nothing.
  case ignore
  /// The server's version is stored.
  case take
  /// The merged content is stored, with the server's version as `base`; the difference is queued.
  case merged(AnyRecord, base: AnyRecord)
  /// A conflict: both versions are kept until a person decides.
  case conflict(server: AnyRecord)
}

/// The changes that a page of the server's records made.
public struct MergeReport: Sendable, Equatable {
  /// Records that were new.
  public var added = 0
  /// Records that were changed here.
  public var updated = 0
  /// Unchanged records.
  public var unchanged = 0
  /// New conflicts.
  public var conflicts = 0
  /// The rows of the new, changed and conflicting records.
  public var changedRows: Set<Int64> = []
  /// The rows of the unchanged records; those that are not stored here, such as the other side of a relationship, have none.
  public var unchangedRows: Set<Int64> = []
  /// Details of people that the server does not have any more; nothing is decided on them yet.
  public var missing: [MissingRecord] = []
  /// Records that were not stored because they name unknown people; merge them again once those people are stored.
  public var postponed: [RemoteRecord] = []
  /// The server's ids of those people, each once.
  public var missingPeople: [UInt64] = []

  /// An empty report.
  public init() {}
}
