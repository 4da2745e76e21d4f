/// A request to a WebDAV server, without the host.
///
/// ```swift
/// if case .send(let request) = pass.first { print(request.method, request.headers, request.body.count) }
/// ```
public struct DAVRequest: Sendable, Hashable {
  /// The HTTP method.
  public enum Method: String, Sendable {
    case propfind = "PROPFIND"
    case report = "REPORT"
    case get = "GET"
  }

  /// The HTTP method.
  public let method: Method
  /// Another resource of the same origin; nil for the resource that the request is sent to.
  public private(set) var target: Href?
  /// The `Depth` header.
  public let depth: Int?
  /// The `Accept` header.
  public let accept: String?
  /// UTF-8; empty for GET.
  public let body: [UInt8]

  private init(_ method: Method, target: Href? = nil, depth: Int? = nil, accept: String? = nil, body: String = "") {
    self.method = method
    self.target = target
    self.depth = depth
    self.accept = accept
    self.body = Array(body.utf8)
  }

  /// The same request for the resource that it is sent to.
  var untargeted: DAVRequest {
    var request = self
    request.target = nil
    return request
  }

  /// The headers. A request with a body always has `Content-Type`: one server refuses a PROPFIND without it.
  public var headers: [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let depth = self.depth { headers.append(("Depth", String(depth))) }
    if let accept = self.accept { headers.append(("Accept", accept)) }
    if !self.body.isEmpty { headers.append(("Content-Type", "application/xml; charset=utf-8")) }
    return headers
  }

  /// Requests properties (RFC 4918 section 9.1).
  ///
  /// - Parameters:
  ///   - properties: The properties.
  ///   - depth: 0 for the resource, 1 to include its members.
  static func propfind(_ properties: [DAVProperty], depth: Int) -> DAVRequest {
    DAVRequest(.propfind, depth: depth, body: Self.document("d:propfind", Self.prop(properties)))
  }

  /// Requests the changes since a token (RFC 6578 section 3.2).
  ///
  /// Never with a limit: two servers in use truncate the list at the limit without saying so, and the rest is lost.
  static func changes(since token: String) -> DAVRequest {
    DAVRequest(
      .report, depth: 0,
      body: Self.document(
        "d:sync-collection",
        "<d:sync-token>\(XMLText.escaped(token))</d:sync-token><d:sync-level>1</d:sync-level>"
          + Self.prop(DAVProperty.ofMembers)))
  }

  /// Requests cards (RFC 6352 section 8.7).
  static func multiget(_ hrefs: some Sequence<Href>, form: CardForm) -> DAVRequest {
    let names = hrefs.map { "<d:href>\(XMLText.escaped($0.path))</d:href>" }.joined()
    return DAVRequest(
      .report, depth: 0,
      body: Self.document(
        "c:addressbook-multiget", "<d:prop><d:getetag/><c:address-data\(form.attributes)/></d:prop>" + names))
  }

  /// Requests one card.
  static func get(_ href: Href, form: CardForm) -> DAVRequest { DAVRequest(.get, target: href, accept: form.accept) }

  private static func prop(_ properties: [DAVProperty]) -> String {
    "<d:prop>" + properties.map { "<\($0.rawValue)/>" }.joined() + "</d:prop>"
  }

  private static func document(_ root: String, _ content: String) -> String {
    """
    <?xml version="1.0" encoding="utf-8"?>
    <\(root) xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:carddav" xmlns:s="http://calendarserver.org/ns/">\(content)</\(root)>
    """
  }
}

/// The complete answer to a ``DAVRequest``.
///
/// ```swift
/// if reply.status == 207 { for response in reply.responses { print(response.href) } }
/// ```
public struct DAVReply: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// The seconds in `Retry-After`.
  public var retryAfter: Int?
  /// The responses of a multistatus, unless they were taken one by one while it was read.
  public var responses: [DAVResponse] = []
  /// The end of a multistatus, or the failed preconditions in the body of a refusal.
  public var end = MultistatusEnd()
  /// The `ETag` header.
  public var entityTag: String?
  /// The body of a GET.
  public var body: [UInt8] = []

  /// Makes a reply without a body.
  public init(status: Int, retryAfter: Int? = nil) {
    self.status = status
    self.retryAfter = retryAfter
  }
}

/// A property to request, with its namespace prefix in ``DAVRequest``.
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

  /// The properties that show which members are cards.
  static let ofNames: [DAVProperty] = [.resourceType, .contentType]
  /// The properties of each member in a listing.
  static let ofMembers: [DAVProperty] = [.entityTag] + Self.ofNames
  /// The properties of a resource of unknown kind, for discovery.
  static let ofAnything: [DAVProperty] = [.currentUserPrincipal, .principalURL, .homeSet] + Self.ofBooks
  /// The properties of an address book, for discovery. No token: some servers read every card to make one.
  static let ofBooks: [DAVProperty] = [
    .resourceType, .displayName, .description, .privileges, .supportedReports, .supportedAddressData,
  ]
  /// The properties of the address books of a known home. The token shows whether an address book has changed.
  static let ofKnownBooks: [DAVProperty] = [.resourceType, .supportedAddressData, .syncToken]
}

/// Text in an XML document.
enum XMLText {
  /// Escapes a text for content and attributes.
  ///
  /// Control characters, which XML 1.0 cannot carry, are omitted: no href has one, escaped or not.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&apos;"
      case "\u{9}", "\u{A}", "\u{D}": escaped += "&#\(scalar.value);"
      case let scalar where scalar.value < 0x20 || scalar.value & 0xFFFE == 0xFFFE: continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
