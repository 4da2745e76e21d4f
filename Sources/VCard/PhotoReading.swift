/// The picture of a card, and what could not be read on the way to it.
public struct PhotoReading: Sendable {
  /// The first picture that decodes to a known kind of image, or else the first that is elsewhere; nil without either.
  public var photo: Photo?
  /// The pictures that could not be read.
  public var warnings: [Warning]
  /// Where the base64 text of an inline picture lies in its card.
  var range: Range<Int>?

  /// The bytes that a base64 text was decoded to; nil for another text than the picture's.
  func bytes(at range: Range<Int>) -> [UInt8]? {
    guard range == self.range, case .inline(let bytes, _)? = photo else { return nil }
    return bytes
  }
}
