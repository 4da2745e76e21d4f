/// Bounds on what one card may make the reader do; card text is hostile input.
public struct Limits: Sendable, Equatable {
  /// The longest card, in bytes; a longer one is a fault.
  public var cardBytes = 16 << 20
  /// The longest line after unfolding, in bytes; a card with a longer one is a fault.
  public var lineBytes = 16 << 20
  /// The largest picture after decoding, in bytes; a larger one is left out with a warning.
  public var photoBytes = 12 << 20
  /// How many properties are read; the rest is left out with a warning.
  public var properties = 2000
  /// How many values of one kind (phones, notes, ...) a typed view gives.
  public var valuesPerKind = 200
  /// How many warnings of one card are kept.
  public var warnings = 100
  /// How many parameters of one property are read, and how many TYPE words.
  public var parameters = 64
  /// How deep cards may be nested by AGENT.
  public var nesting = 4

  /// The default bounds.
  public init() {}
}
