/// A request to a WebDAV server: what is asked, not yet of which host.
public struct DAVRequest: Sendable, Hashable {
  /// The method.
  public enum Method: String, Sendable {
    case propfind = "PROPFIND"
    case report = "REPORT"
    case get = "GET"
  }

  /// The method.
  public let method: Method
  /// Another resource of the same origin than the one that is spoken with.
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

  /// The same about whatever resource it is sent to.
  var untargeted: DAVRequest {
    var request = self
    request.target = nil
    return request
  }

  /// The headers. One server refuses a PROPFIND that does not say that it is XML, so all that have a body do.
  public var headers: [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let depth = self.depth { headers.append(("Depth", String(depth))) }
    if let accept = self.accept { headers.append(("Accept", accept)) }
    if !self.body.isEmpty { headers.append(("Content-Type", "application/xml; charset=utf-8")) }
    return headers
  }

  /// Asks for properties (RFC 4918 section 9.1).
  ///
  /// - Parameters:
  ///   - properties: Which ones.
  ///   - depth: 0 for the resource, 1 with its members.
  static func propfind(_ properties: [DAVProperty], depth: Int) -> DAVRequest {
    DAVRequest(.propfind, depth: depth, body: Self.document("d:propfind", Self.prop(properties)))
  }

  /// Asks what changed since a token (RFC 6578 section 3.2).
  ///
  /// Never with a limit: two servers in use cut the list at it, call it whole, and the rest is lost.
  static func changes(since token: String) -> DAVRequest {
    DAVRequest(
      .report, depth: 0,
      body: Self.document(
        "d:sync-collection",
        "<d:sync-token>\(XMLText.escaped(token))</d:sync-token><d:sync-level>1</d:sync-level>"
          + Self.prop(DAVProperty.ofMembers)))
  }

  /// Asks for cards (RFC 6352 section 8.7).
  static func multiget(_ hrefs: some Sequence<Href>, form: CardForm) -> DAVRequest {
    let names = hrefs.map { "<d:href>\(XMLText.escaped($0.path))</d:href>" }.joined()
    return DAVRequest(
      .report, depth: 0,
      body: Self.document(
        "c:addressbook-multiget", "<d:prop><d:getetag/><c:address-data\(form.attributes)/></d:prop>" + names))
  }

  /// Asks for one card.
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

/// The answer to a ``DAVRequest``, read to its end.
public struct DAVReply: Sendable, Hashable {
  /// The HTTP status.
  public var status: Int
  /// Seconds of `Retry-After`.
  public var retryAfter: Int?
  /// The responses of a multistatus, unless they were taken one by one while it was read.
  public var responses: [DAVResponse] = []
  /// What was said of the whole: of a multistatus, or in the body of a refusal.
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

/// Text as it stands in an XML document.
enum XMLText {
  /// The text with the characters replaced that mean something to XML, fit for content and for attributes.
  ///
  /// Control characters, which XML 1.0 cannot carry, are left out: an href has none, escaped or not.
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
