/// Why a card could not be parsed. Contains no text of the card.
///
/// ```swift
/// do { _ = try Card(bytes) } catch { print(error.kind, error.line) }
/// ```
public struct CardFault: Error, Sendable, Hashable {
  /// The kinds of faults.
  public enum Kind: String, Sendable, CaseIterable {
    /// The card is longer than ``Limits/cardBytes``.
    case cardTooLarge
    /// A line is longer than ``Limits/lineBytes``.
    case lineTooLong
    /// The card holds no property.
    case empty
    /// The input ends before the card has a property.
    case cutOff
    /// Lines outside of BEGIN:VCARD and END:VCARD that hold no name.
    case textOutsideCard
  }

  /// The kind of the fault.
  public var kind: Kind
  /// The line of the fault, counted from 1 in the whole input.
  public var line: Int

  package init(_ kind: Kind, line: Int) {
    self.kind = kind
    self.line = line
  }
}
