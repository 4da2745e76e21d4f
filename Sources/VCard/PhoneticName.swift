/// How a name is read aloud, from any of the forms that programs write.
public struct PhoneticName: Sendable, Hashable {
  /// The reading of the family name.
  public var family: String?
  /// The reading of the given name.
  public var given: String?
  /// The reading of the middle name.
  public var middle: String?

  /// Makes an empty name.
  public init() {}
}
