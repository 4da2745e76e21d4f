/// What a card describes (KIND, RFC 6350 6.1.4).
public enum CardKind: Sendable, Hashable {
  /// A person; also what a card is that says nothing.
  case individual
  /// A group whose ``Card/members`` are other cards.
  case group
  /// An organisation.
  case organization
  /// A place.
  case location
  /// Another kind, in lower case.
  case other(String)
}
