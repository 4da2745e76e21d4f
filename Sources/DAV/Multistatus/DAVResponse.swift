/// One `<response>` of a multistatus (RFC 4918 section 14.24).
///
/// A response that names several resources with one status becomes one value for each.
///
/// ```swift
/// for response in reply.responses where !response.isGone { print(response.href, response.properties.entityTag ?? "") }
/// ```
public struct DAVResponse: Sendable, Hashable {
  /// The resource, as the server spells it.
  public var href: String
  /// The status of the whole resource; nil if each property has its own.
  public var status: Int?
  /// The properties with a status of success.
  public var properties = DAVProperties()
  /// True if there was a successful propstat.
  public var hasProperties = false
  /// The other statuses of properties.
  public var refused: Set<Int> = []
  /// Failed preconditions (RFC 4918 section 16).
  public var conditions: Set<DAVCondition> = []

  /// Makes a response without properties.
  public init(href: String, status: Int? = nil) {
    self.href = href
    self.status = status
  }

  /// True if the server says that the resource does not exist.
  public var isGone: Bool { self.status == 404 || self.status == 410 }
}

/// The properties of one resource that the server sent with a successful status.
///
/// ```swift
/// let isBook = response.properties.resourceType?.contains(.addressBook) == true
/// ```
public struct DAVProperties: Sendable, Hashable {
  /// `DAV:getetag` as sent, with quotes.
  public var entityTag: String?
  /// `DAV:getcontenttype`.
  public var contentType: String?
  /// `DAV:displayname`.
  public var displayName: String?
  /// `CARDDAV:addressbook-description`.
  public var description: String?
  /// `DAV:resourcetype`; nil if it was not sent, empty for an ordinary resource.
  public var resourceType: ResourceType?
  /// `DAV:sync-token` of the collection, opaque (RFC 6578 section 4).
  public var syncToken: String?
  /// `getctag` of calendarserver.org, opaque; changes with anything in the collection.
  public var collectionTag: String?
  /// The card in `CARDDAV:address-data`: UTF-8, with line ends as XML leaves them.
  public var addressData: [UInt8]?
  /// The local names inside `DAV:supported-report-set`; nil if it was not sent.
  ///
  /// Some servers omit the level of `<report>`, so names are taken at any depth.
  public var reports: Set<String>?
  /// The versions of vCard in `CARDDAV:supported-address-data`; nil if it was not sent.
  public var cardVersions: Set<String>?
  /// `DAV:current-user-principal`, an href.
  public var currentUserPrincipal: String?
  /// `DAV:principal-URL`, an href.
  public var principalURL: String?
  /// The hrefs of `CARDDAV:addressbook-home-set`.
  public var homeSet: [String] = []
  /// The local names in `DAV:current-user-privilege-set`; nil if it was not sent.
  public var privileges: Set<String>?

  /// Makes an empty set of properties.
  public init() {}

  /// True if the privileges were sent and none allows writing cards (RFC 3744 section 3).
  public var isReadOnly: Bool {
    guard let privileges = self.privileges else { return false }
    return privileges.isDisjoint(with: ["all", "write", "write-content", "bind"])
  }

  /// Takes over the properties that `other` has.
  mutating func merge(_ other: consuming DAVProperties) {
    func take<Value>(_ value: inout Value?, _ given: Value?) { if let given { value = given } }
    take(&self.entityTag, other.entityTag)
    take(&self.contentType, other.contentType)
    take(&self.displayName, other.displayName)
    take(&self.description, other.description)
    take(&self.resourceType, other.resourceType)
    take(&self.syncToken, other.syncToken)
    take(&self.collectionTag, other.collectionTag)
    take(&self.addressData, other.addressData)
    take(&self.reports, other.reports)
    take(&self.cardVersions, other.cardVersions)
    take(&self.currentUserPrincipal, other.currentUserPrincipal)
    take(&self.principalURL, other.principalURL)
    self.homeSet += other.homeSet
    take(&self.privileges, other.privileges)
  }
}

/// The type of a resource (`DAV:resourcetype`, RFC 4918 section 15.9).
///
/// ```swift
/// let type: ResourceType = [.collection, .addressBook]
/// ```
public struct ResourceType: OptionSet, Sendable, Hashable {
  /// One bit for each type.
  public let rawValue: UInt8

  /// Makes a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A resource with members.
  public static let collection = ResourceType(rawValue: 1)
  /// A collection of cards (RFC 6352 section 5.2).
  public static let addressBook = ResourceType(rawValue: 2)
  /// A user or group (RFC 3744 section 4).
  public static let principal = ResourceType(rawValue: 4)
}

/// A failed precondition: the local name of an element inside `DAV:error` (RFC 4918 section 16).
///
/// ```swift
/// if reply.end.conditions.contains(.validSyncToken) { token = nil }
/// ```
public struct DAVCondition: Sendable, Hashable {
  /// The local name.
  public let name: String

  /// Makes a condition from its name.
  public init(_ name: String) { self.name = name }

  /// The token is unknown or too old (RFC 6578 section 3.2).
  public static let validSyncToken = DAVCondition("valid-sync-token")
  /// The result is larger than the server returns at once (RFC 3744 section 8.1, RFC 6578 section 3.6).
  public static let matchesWithinLimits = DAVCondition("number-of-matches-within-limits")
  /// The resource does not support the report (RFC 3253 section 3.6).
  public static let supportedReport = DAVCondition("supported-report")
}

/// The end of a document that was well-formed to its last tag.
///
/// ```swift
/// let isComplete = !end.isError && end.unreadable == 0
/// ```
public struct MultistatusEnd: Sendable, Hashable {
  /// The collection's new token (RFC 6578 section 6.4).
  public var syncToken: String?
  /// Failed preconditions (RFC 4918 section 16), from an `<error>` document or an `<error>` beside the responses.
  public var conditions: Set<DAVCondition> = []
  /// True if the document is an `<error>` and not a multistatus.
  public var isError = false
  /// How many responses described a resource.
  public var responses = 0
  /// How many responses had no href, or neither status nor properties. A listing with such responses is incomplete.
  public var unreadable = 0

  /// Makes the end of an empty multistatus.
  public init() {}
}
