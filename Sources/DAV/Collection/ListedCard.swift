/// A card that a server has, by name.
public struct ListedCard: Sendable, Hashable {
  /// The resource.
  public let href: Href
  /// Changes when the card may have changed. Empty when the server told no ETag, or was not asked for it: then it has
  /// to be read.
  public let fingerprint: String

  /// Makes an entry of a listing.
  public init(href: Href, fingerprint: String) {
    self.href = href
    self.fingerprint = fingerprint
  }
}
