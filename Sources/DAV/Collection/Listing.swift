/// What one look at an address book found.
public struct Listing: Sendable, Hashable {
  /// How much was listed.
  public enum Extent: Sendable, Hashable {
    /// Nothing, because nothing has changed.
    case unchanged
    /// What has changed since the last state. What is not listed is as it was.
    case changes
    /// Everything, proven: what is not listed is gone.
    case whole
    /// Something, not proven to be everything: what is not listed may still be there.
    case partial
  }

  /// How much was listed.
  public let extent: Extent
  /// The cards that were listed, each once.
  public let cards: [ListedCard]
  /// The cards that the server says are gone, of ``Extent/changes`` alone. Some were never seen, and mean nothing.
  public let gone: [Href]
  /// What to give to the next pass, once everything listed here is stored; nil: what the last one was given.
  public let state: CollectionState?
  /// The form to read the cards in.
  public let form: CardForm
}
