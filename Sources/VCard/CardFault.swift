/// Why a card could not be read; it holds no card text.
public struct CardFault: Error, Sendable, Hashable {
  /// The class of a fault.
  public enum Kind: String, Sendable, CaseIterable {
    /// The card is longer than ``Limits/cardBytes``.
    case cardTooLarge
    /// A line is longer than ``Limits/lineBytes``.
    case lineTooLong
    /// The card holds no property.
    case empty
    /// The input ends before the card says anything.
    case cutOff
    /// Lines outside of BEGIN:VCARD and END:VCARD that name nobody.
    case textOutsideCard
  }

  /// The class of the fault.
  public var kind: Kind
  /// The line it was met on, counted from 1 in the whole input.
  public var line: Int

  package init(_ kind: Kind, line: Int) {
    self.kind = kind
    self.line = line
  }
}
