/// What is known of a document when it is over and was well-formed to its last tag.
public struct MultistatusEnd: Sendable, Hashable {
  /// The collection's new token (RFC 6578 section 6.4).
  public var syncToken: String?
  /// Failed preconditions (RFC 4918 section 16), from an `<error>` document or an `<error>` beside the responses.
  public var conditions: Set<DAVCondition> = []
  /// Whether the document is an `<error>` and no multistatus.
  public var isError = false
  /// How many responses said something of a resource.
  public var responses = 0
  /// How many had no href, or neither status nor properties. A listing with such is not whole.
  public var unreadable = 0

  /// Makes the end of an empty multistatus.
  public init() {}
}
