/// Something about a listing that somebody who looks for a missing card wants to know.
public struct ListingNote: Sendable, Hashable {
  /// What it is about. The raw value is stable, lower_snake.
  public enum Kind: String, Sendable {
    /// A resource of another collection was named, and left out.
    case outsideCollection = "outside_collection"
    /// A resource that is no card was left out.
    case notACard = "not_a_card"
    /// The server has the card and cannot say more of it. It counts as present.
    case unlisted = "card_unlisted"
    /// The server now gives cards in another form: all are read again.
    case formChanged = "card_form_changed"
    /// The server does not know the token any more: everything was listed.
    case tokenRefused = "sync_token_refused"
    /// The listing is not proven whole: what it lacks is not gone.
    case notWhole = "listing_not_whole"
  }

  /// What it is about.
  public let kind: Kind
  /// The resource, as the server spells it; empty when the collection is meant.
  public let href: String
  /// A sentence for people.
  public let message: String

  init(_ kind: Kind, href: String = "", _ message: String) {
    self.kind = kind
    self.href = href
    self.message = message
  }
}
