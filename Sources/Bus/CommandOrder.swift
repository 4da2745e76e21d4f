/// When a command starts, relative to those that came before it on its connection: docs/protocol.md, "Order".
public enum CommandOrder: Sendable {
  /// At once: it changes nothing.
  case free
  /// When each earlier command has handed its write to the store, or has ended. For a handler that looks at nothing
  /// before its transaction: the store keeps the order of writes, and commits those that wait together.
  case afterWrites
  /// When the earlier commands have ended. For a handler that looks at the store before it writes, or changes something
  /// outside it.
  case afterEnds
  /// When the earlier commands on uploads have ended; other commands do not wait for it.
  case amongUploads
}
