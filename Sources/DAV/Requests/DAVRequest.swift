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
