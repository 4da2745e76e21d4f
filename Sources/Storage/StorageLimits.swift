/// How much the engine keeps, and how large it lets a group of writes become.
public struct StorageLimits: Sendable {
  /// Of remembered commands.
  public var journal = JournalLimits()
  /// Of each stream's log.
  public var events = EventLimits()
  /// Of uploads, exports and backups.
  public var blobs = BlobLimits()
  /// Writes that commit together.
  public var groupMembers = 256
  /// For how long writes are added to one group.
  public var groupDuration = Duration.milliseconds(50)

  /// The limits of `docs/protocol.md`.
  public init() {}
}

/// How much of the finished commands is remembered. The oldest go first.
public struct JournalLimits: Sendable {
  /// Finished commands.
  public var rows = 20_000
  /// Bytes of their answers.
  public var bytes: Int64 = 64 << 20
  /// For how long.
  public var age = Duration.seconds(24 * 3600)
  /// How many are forgotten in one write; also by how many rows the journal may be over before it is trimmed.
  public var slice = 512

  /// The limits of `docs/protocol.md`.
  public init() {}
}

/// How much of each stream's log is kept. The last event of a key stays in any case.
public struct EventLimits: Sendable {
  /// Events a stream.
  public var count: UInt64 = 100_000
  /// For how long.
  public var age = Duration.seconds(30 * 24 * 3600)
  /// How many are dropped in one write.
  public var slice: UInt64 = 512

  /// The limits of `docs/protocol.md`.
  public init() {}
}

/// How much the blobs that pass through may take.
public struct BlobLimits: Sendable {
  /// Bytes of one blob.
  public var size: UInt64 = 512 << 20
  /// Bytes of all files that are kept, from which on uploads are refused: nobody who may upload fills the disk.
  public var total: UInt64 = 8 << 30
  /// Uploads of one principal that are not complete.
  public var openUploads = 4
  /// How long an upload may rest before another one of its principal takes its place.
  public var rest = Duration.seconds(600)
  /// For how long a file is kept, and an upload that does not go on.
  public var age = Duration.seconds(24 * 3600)
  /// Bytes of one piece.
  public var chunk: UInt32 = 256 << 10
  /// Bytes that a client may send ahead of the answers.
  public var window: UInt32 = 2 << 20

  /// The limits of `docs/protocol.md`.
  public init() {}
}
