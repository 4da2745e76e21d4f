/// An address for instant messages, or a profile of a social network.
public struct MessagingAddress: Sendable, Hashable {
  /// The service as the card names it, such as `Skype`; for a URI without a name its scheme.
  public var service: String?
  /// The name of the person's account.
  public var user: String
  /// The address as a URI, when the card has one.
  public var uri: String?
  /// What it is for.
  public var label: Label
  /// The line of its property, counted from 1 in the whole input.
  public var lineNumber: Int
}
