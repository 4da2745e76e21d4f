/// A precondition that a server says was not met: the local name of an element inside `DAV:error` (RFC 4918 section 16).
public struct DAVCondition: Sendable, Hashable {
  /// The local name.
  public let name: String

  /// Makes a condition of its name.
  public init(_ name: String) { self.name = name }

  /// The token is unknown or too old (RFC 6578 section 3.2).
  public static let validSyncToken = DAVCondition("valid-sync-token")
  /// More than the server gives at once (RFC 3744 section 8.1, RFC 6578 section 3.6).
  public static let matchesWithinLimits = DAVCondition("number-of-matches-within-limits")
  /// The report is not offered on that resource (RFC 3253 section 3.6).
  public static let supportedReport = DAVCondition("supported-report")
}
