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
