/// How much the store keeps, and how large a group of writes may become.
public struct StorageLimits: Sendable {
  /// The limits of the command journal.
  public var journal = JournalLimits()
  /// The limits of each stream's log.
  public var events = EventLimits()
  /// The limits of uploads, exports and backups.
  public var blobs = BlobLimits()
  /// The most writes that commit together.
  public var groupMembers = 256
  /// How long writes are added to one group.
  public var groupDuration = Duration.milliseconds(50)

  /// The limits of `docs/protocol.md`.
  public init() {}
}

/// How many finished commands are kept. The oldest are deleted first.
public struct JournalLimits: Sendable {
  /// The most finished commands.
  public var rows = 20_000
  /// The most bytes of their replies.
  public var bytes: Int64 = 64 << 20
  /// How long they are kept.
  public var age = Duration.seconds(24 * 3600)
  /// How many are deleted in one write, and how many over the limit trigger a deletion.
  public var slice = 512

  /// The limits of `docs/protocol.md`.
  public init() {}
}

/// How much of each stream's log is kept. The last event of a key is always kept.
public struct EventLimits: Sendable {
  /// The most events of a stream.
  public var count: UInt64 = 100_000
  /// How long events are kept.
  public var age = Duration.seconds(30 * 24 * 3600)
  /// How many are deleted in one write.
  public var slice: UInt64 = 512

  /// The limits of `docs/protocol.md`.
  public init() {}
}

/// The limits of uploads, exports and backups.
public struct BlobLimits: Sendable {
  /// The most bytes of one blob.
  public var size: UInt64 = 512 << 20
  /// The total of all files, open uploads with the sizes that they will have. Beyond it the oldest export is deleted, and an upload is
  /// refused if there is none: no client fills the disk.
  public var total: UInt64 = 8 << 30
  /// The most files.
  public var files = 10_000
  /// The most unfinished uploads of one principal.
  public var openUploads = 4
  /// How long an unfinished upload may pause before another one of its principal takes its place.
  public var rest = Duration.seconds(600)
  /// How long files and unfinished uploads are kept.
  public var age = Duration.seconds(24 * 3600)
  /// The most bytes of one piece.
  public var chunk: UInt32 = 256 << 10
  /// The most bytes that a client may send ahead of the replies.
  public var window: UInt32 = 2 << 20

  /// The limits of `docs/protocol.md`.
  public init() {}
}
