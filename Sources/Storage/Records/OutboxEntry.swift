public import KithMessages

/// A change that waits for the server: one a record, however often it was edited.
public struct OutboxEntry: Sendable {
  /// The longest that a change waits, in nanoseconds: its ``Bus/Due`` has this at most.
  public static let longestWait: Int64 = 900_000_000_000
  /// The same of what the server may still be at. A quarter of an hour may be asked for, and clocks are set back a
  /// little all the time.
  static let longestHold = 2 * OutboxEntry.longestWait

  /// The record's row, by which the outbox is told what became of it.
  public let row: Int64
  /// The record's id; the entry's own on the wire.
  public let id: String
  /// The record's kind.
  public let kind: RecordKind
  /// What the server is to be told. Of an ``attempt`` that is repeated, what that was to tell.
  public let operation: OutboxOperation
  /// How often it was tried since the last edit.
  public let attempts: Int
  /// When it may go, in nanoseconds since 1970; nil = not by itself.
  public let nextAttemptAt: Int64?
  /// When it was first tried, in nanoseconds since 1970.
  public let firstTriedAt: Int64?
  /// When it was queued, in nanoseconds since 1970.
  public let queuedAt: Int64
  /// Whether an earlier attempt may have arrived.
  public let isUnsure: Bool
  /// What is to be sent, people by the server's ids. When ``isUnsure``, this is what was sent then, so that it can be found
  /// and is not made twice; later edits follow once that is settled.
  public let record: RemoteRecord
  /// What the server had when the change was made; nil = nothing that is known.
  public let base: RemoteRecord?
  /// Names the attempt that is under way, or whose outcome was not stored: a worker may be at it, or have ended it. The same
  /// attempt again is no second one. nil = the next one is new.
  public internal(set) var attempt: String?
  /// Why the last attempt failed.
  public let error: Status?
}
