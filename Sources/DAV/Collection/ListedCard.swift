/// A card that a server has, by name.
public struct ListedCard: Sendable, Hashable {
  /// The resource.
  public let href: Href
  /// Changes when the card may have changed. Empty when the server told no ETag, or was not asked for it: then it has
  /// to be read.
  public let fingerprint: String
  /// Whether it has to be read whatever its fingerprint: the server named it as changed, and SOGo gives a card that was deleted
  /// and made again the ETag of the first one; or the server was set back to a backup.
  public internal(set) var mustBeRead: Bool

  /// Makes an entry of a listing.
  public init(href: Href, fingerprint: String, mustBeRead: Bool = false) {
    self.href = href
    self.fingerprint = fingerprint
    self.mustBeRead = mustBeRead
  }
}
