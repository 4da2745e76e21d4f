/// A property that is asked for, with the prefix of its namespace in ``DAVRequest``.
enum DAVProperty: String, Sendable {
  case resourceType = "d:resourcetype"
  case displayName = "d:displayname"
  case entityTag = "d:getetag"
  case contentType = "d:getcontenttype"
  case syncToken = "d:sync-token"
  case supportedReports = "d:supported-report-set"
  case currentUserPrincipal = "d:current-user-principal"
  case principalURL = "d:principal-URL"
  case privileges = "d:current-user-privilege-set"
  case homeSet = "c:addressbook-home-set"
  case description = "c:addressbook-description"
  case supportedAddressData = "c:supported-address-data"
  case collectionTag = "s:getctag"

  /// What tells which members are cards.
  static let ofNames: [DAVProperty] = [.resourceType, .contentType]
  /// What a listing asks of each member.
  static let ofMembers: [DAVProperty] = [.entityTag] + Self.ofNames
  /// What discovery asks of a resource that may be anything.
  static let ofAnything: [DAVProperty] = [.currentUserPrincipal, .principalURL, .homeSet] + Self.ofBooks
  /// What discovery shows of an address book. No token: some servers read every card to make one.
  static let ofBooks: [DAVProperty] = [
    .resourceType, .displayName, .description, .privileges, .supportedReports, .supportedAddressData,
  ]
  /// What a look at a home that is known asks of its books. The token says of each book whether it has to be asked at all.
  static let ofKnownBooks: [DAVProperty] = [.resourceType, .supportedAddressData, .syncToken]
}
