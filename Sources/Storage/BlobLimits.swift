/// How much the blobs that pass through may take.
public struct BlobLimits: Sendable {
  /// Bytes of one blob.
  public var size: UInt64 = 512 << 20
  /// Bytes of all files, those of uploads under way included. Beyond them the oldest export makes room, and an upload is refused where
  /// there is none: no client fills the disk.
  public var total: UInt64 = 8 << 30
  /// Files that are kept.
  public var files = 10_000
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
