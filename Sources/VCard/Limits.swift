/// Limits for one card; card text is hostile input.
///
/// ```swift
/// var limits = Limits()
/// limits.photoBytes = 1 << 20
/// let cards = CardReader(bytes, limits: limits)
/// ```
public struct Limits: Sendable, Equatable {
  /// The longest card, in bytes; a longer one is a fault.
  public var cardBytes = 16 << 20
  /// The longest line after unfolding, in bytes; a card with a longer one is a fault.
  public var lineBytes = 16 << 20
  /// The largest decoded picture, in bytes; a larger one is omitted with a warning.
  public var photoBytes = 12 << 20
  /// The most properties; further ones are omitted with a warning.
  public var properties = 2000
  /// The most values of one kind (phones, notes, ...) in a typed view.
  public var valuesPerKind = 200
  /// The most warnings kept for one card.
  public var warnings = 100
  /// The most parameters of one property, and the most TYPE words.
  public var parameters = 64
  /// The deepest nesting of cards by AGENT.
  public var nesting = 4

  /// The default limits.
  public init() {}
}
