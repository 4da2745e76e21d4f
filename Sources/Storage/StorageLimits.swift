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
