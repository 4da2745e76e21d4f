/// What a resource says it is (`DAV:resourcetype`, RFC 4918 section 15.9).
public struct ResourceType: OptionSet, Sendable, Hashable {
  /// One bit a kind.
  public let rawValue: UInt8

  /// Makes a set of its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Has members.
  public static let collection = ResourceType(rawValue: 1)
  /// Holds cards (RFC 6352 section 5.2).
  public static let addressBook = ResourceType(rawValue: 2)
  /// A user or group (RFC 3744 section 4).
  public static let principal = ResourceType(rawValue: 4)
}
