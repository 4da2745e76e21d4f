/// The XML elements that a client of address books reads.
enum Element: Sendable {
  // RFC 4918 section 14 and 15
  case multistatus, response, href, status, propstat, prop, error, responseDescription
  case resourceType, displayName, entityTag, contentType
  case collection, principal
  // RFC 6578
  case syncToken
  // RFC 3744, 5397, 3253
  case currentUserPrincipal, principalURL, privilegeSet, privilege, supportedReports
  // RFC 6352
  case addressBook, addressData, description, homeSet, supportedAddressData
  // calendarserver.org, in use by all
  case collectionTag
  case other

  /// - Parameter name: Namespace, a space, local name.
  init(_ name: String) { self = Self.names[name] ?? .other }

  /// True if the text of the element is the value of a property.
  var isTextProperty: Bool {
    switch self {
    case .displayName, .entityTag, .contentType, .syncToken, .addressData, .description, .collectionTag:
      true
    default: false
    }
  }

  private static let names: [String: Element] = [
    "DAV: multistatus": .multistatus, "DAV: response": .response, "DAV: href": .href, "DAV: status": .status,
    "DAV: propstat": .propstat, "DAV: prop": .prop, "DAV: error": .error,
    "DAV: responsedescription": .responseDescription, "DAV: resourcetype": .resourceType,
    "DAV: displayname": .displayName, "DAV: getetag": .entityTag, "DAV: getcontenttype": .contentType,
    "DAV: collection": .collection, "DAV: principal": .principal, "DAV: sync-token": .syncToken,
    "DAV: current-user-principal": .currentUserPrincipal, "DAV: principal-URL": .principalURL,
    "DAV: current-user-privilege-set": .privilegeSet, "DAV: privilege": .privilege,
    "DAV: supported-report-set": .supportedReports,
    "urn:ietf:params:xml:ns:carddav addressbook": .addressBook,
    "urn:ietf:params:xml:ns:carddav address-data": .addressData,
    "urn:ietf:params:xml:ns:carddav addressbook-description": .description,
    "urn:ietf:params:xml:ns:carddav addressbook-home-set": .homeSet,
    "urn:ietf:params:xml:ns:carddav supported-address-data": .supportedAddressData,
    "http://calendarserver.org/ns/ getctag": .collectionTag,
  ]
}
