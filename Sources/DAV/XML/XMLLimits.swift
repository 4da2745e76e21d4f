/// The bounds on a document that a server sends. What exceeds them ends the reading with an ``XMLFault``.
public struct XMLLimits: Sendable, Hashable {
  /// How deep elements may be nested. A multistatus needs 8.
  public var depth = 64
  /// Bytes of the text of one element that is kept.
  public var textBytes = 16 << 20
  /// Elements of the whole document.
  public var elements = 6_000_000
  /// Resources that the `<response>` elements of a multistatus are about.
  public var responses = 200_000
  /// Bytes of one tag, comment or instruction.
  public var tokenBytes = 1 << 20

  /// The bounds that hold unless somebody says otherwise.
  public init() {}
}
