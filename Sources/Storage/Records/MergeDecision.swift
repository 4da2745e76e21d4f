public import KithMessages

/// What is stored of a record that the server has sent.
public struct LocalRecord: Sendable {
  /// Its row.
  public let row: Int64
  /// The record, with id and state; people by our ids.
  public let record: AnyRecord
  /// What the server had when it was last seen; nil = nothing.
  public let base: AnyRecord?
  /// What is under way, or was and may have arrived.
  public let sent: AnyRecord?
  /// What waits for the server; nil = nothing.
  public let operation: OutboxOperation?
  /// Where it stands with the server.
  public let state: RecordState
  /// When the server last changed it, in nanoseconds since 1970, as it was last seen.
  public let stamp: Int64?
  /// Whether it is deleted here.
  public let isDeleted: Bool
}

/// What is done with a record that the server has sent.
public enum MergeDecision: Sendable, Equatable {
  /// Nothing.
  case ignore
  /// It is stored as the server has it.
  case take
  /// It is to say this, and `base` is what the server has: where they differ, the server has to be told.
  case merged(AnyRecord, base: AnyRecord)
  /// Both sides are kept for a person to settle.
  case conflict(server: AnyRecord)
}

/// What a page of the server's records changed.
public struct MergeReport: Sendable, Equatable {
  /// Records that were new.
  public var added = 0
  /// Records that were changed here.
  public var updated = 0
  /// Records that were left as they are.
  public var unchanged = 0
  /// Records that are deleted here now.
  public var deleted = 0
  /// Records that a person has to look at.
  public var conflicts = 0
  /// Records that were not stored because they name people who are not known; hand them in again when these are.
  public var postponed: [RemoteRecord] = []
  /// Those people, by the server's ids, each once.
  public var missingPeople: [UInt64] = []

  /// Makes a report of nothing.
  public init() {}
}
