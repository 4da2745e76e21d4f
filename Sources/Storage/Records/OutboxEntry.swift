public import KithMessages

/// A queued change of one record. Later edits of the record join it.
public struct OutboxEntry: Sendable {
  /// The longest wait of a change, in nanoseconds; the limit of its ``Bus/Due``.
  public static let longestWait: Int64 = 900_000_000_000
  /// The longest wait for a request that the server may still be running: the configuration allows 15 minutes, and clocks
  /// are often set back a little.
  static let longestHold = 2 * OutboxEntry.longestWait

  /// The record's row, which identifies the change when its outcome is stored.
  public let row: Int64
  /// The record's id; the entry's own on the wire.
  public let id: String
  /// The record's kind.
  public let kind: RecordKind
  /// The operation on the server; for a repeated ``attempt``, the operation of that attempt.
  public let operation: OutboxOperation
  /// The number of attempts since the last edit.
  public let attempts: Int
  /// When it is sent, in nanoseconds since 1970; nil if a person has to retry it.
  public let nextAttemptAt: Int64?
  /// When it was first tried, in nanoseconds since 1970.
  public let firstTriedAt: Int64?
  /// When it was queued, in nanoseconds since 1970.
  public let queuedAt: Int64
  /// Whether an earlier attempt may have arrived.
  public let isUnsure: Bool
  /// The record to send, with the server's ids of people. If ``isUnsure``, the record as the earlier attempt sent it, so that
  /// it is found on the server and not created twice; later edits are sent after that.
  public let record: RemoteRecord
  /// The server's version from which the change was made; nil if unknown.
  public let base: RemoteRecord?
  /// The name of the attempt in flight, or of one whose outcome was not stored: a worker may still run it, or have its result.
  /// Sending under the same name continues that attempt. nil if the next attempt is new.
  public internal(set) var attempt: String?
  /// If ``isUnsure``, the newest ids of the server that other records have: two records may say the same.
  public let takenIDs: [UInt64]
  /// When the server made the record, in nanoseconds since 1970; nil if unknown.
  public let madeAt: Int64?
  /// The id of a record that the server has lost, and may have again under it; nil if another record has the id now.
  public let leftID: UInt64?
  /// Why the last attempt failed.
  public let error: Status?
}
