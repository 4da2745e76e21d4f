/// A picture of a card.
public enum Photo: Sendable, Hashable {
  /// The bytes of an image as the card holds them, and its media type, such as `image/jpeg`.
  case inline(bytes: [UInt8], mediaType: String)
  /// Where an image is, as written.
  case uri(String)
}
