/// The properties of one resource that a server gave with a status of success.
public struct DAVProperties: Sendable, Hashable {
  /// `DAV:getetag` as given, quotes included.
  public var entityTag: String?
  /// `DAV:getcontenttype`.
  public var contentType: String?
  /// `DAV:displayname`.
  public var displayName: String?
  /// `CARDDAV:addressbook-description`.
  public var description: String?
  /// `DAV:resourcetype`; nil when it was not given, empty for an ordinary resource.
  public var resourceType: ResourceType?
  /// `DAV:sync-token` of the collection, opaque (RFC 6578 section 4).
  public var syncToken: String?
  /// `getctag` of calendarserver.org: changes when anything in the collection does. Opaque.
  public var collectionTag: String?
  /// The card of `CARDDAV:address-data`: UTF-8, with the line ends that XML leaves.
  public var addressData: [UInt8]?
  /// The local names of all that is inside `DAV:supported-report-set`; nil when it was not given.
  ///
  /// Some servers leave out the level of `<report>`, so names are taken at any depth.
  public var reports: Set<String>?
  /// The versions of vCard in `CARDDAV:supported-address-data`; nil when it was not given.
  public var cardVersions: Set<String>?
  /// `DAV:current-user-principal`, an href.
  public var currentUserPrincipal: String?
  /// `DAV:principal-URL`, an href.
  public var principalURL: String?
  /// The hrefs of `CARDDAV:addressbook-home-set`.
  public var homeSet: [String] = []
  /// The local names of `DAV:current-user-privilege-set`; nil when it was not given.
  public var privileges: Set<String>?

  /// Nothing given.
  public init() {}

  /// Whether the privileges were given and have none that lets cards be written (RFC 3744 section 3).
  public var isReadOnly: Bool {
    guard let privileges = self.privileges else { return false }
    return privileges.isDisjoint(with: ["all", "write", "write-content", "bind"])
  }

  /// Takes over what `other` has.
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
