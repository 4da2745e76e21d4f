/// The picture of a card, and what could not be read on the way to it.
public struct PhotoReading: Sendable {
  /// The first picture that decodes to a known kind of image, or else the first that is elsewhere; nil without either.
  public var photo: Photo?
  /// The pictures that could not be read.
  public var warnings: [Warning]
}
