/// One `<response>` of a multistatus (RFC 4918 section 14.24).
///
/// A response that names several resources with one status is given once for each.
public struct DAVResponse: Sendable, Hashable {
  /// The resource, as the server spells it.
  public var href: String
  /// The status of the resource as a whole; nil where each property has its own.
  public var status: Int?
  /// The properties with a status of success.
  public var properties = DAVProperties()
  /// Whether there was a propstat of success at all.
  public var hasProperties = false
  /// The other statuses that properties had.
  public var refused: Set<Int> = []
  /// Failed preconditions (RFC 4918 section 16), where the server says.
  public var conditions: Set<DAVCondition> = []

  /// Makes a response without properties.
  public init(href: String, status: Int? = nil) {
    self.href = href
    self.status = status
  }

  /// Whether the server says that there is no such resource.
  public var isGone: Bool { self.status == 404 || self.status == 410 }
}
