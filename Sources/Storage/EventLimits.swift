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
