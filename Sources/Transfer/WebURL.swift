internal import CCurl

/// An absolute http or https address in canonical form: the host in lower case, no dot segments in the path, no default port, no
/// fragment, spaces and non-ASCII characters percent-encoded. User information is refused.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
  /// The whole address.
  public let description: String
  /// Scheme, host and port.
  public let origin: Origin
  /// The percent-encoded path, from its first slash.
  public let path: String
  /// The encoded text after the question mark; nil if there is none.
  public let query: String?

  /// Reads an absolute address.
  ///
  /// - Throws: `TransferError.invalidURL`.
  public init(_ text: String) throws(TransferError) {
    let parts = try URLParts()
    try parts.set(text)
    try self.init(parts)
  }

  private init(_ parts: borrowing URLParts) throws(TransferError) {
    guard let scheme = parts.get(CURLUPART_SCHEME), scheme == "http" || scheme == "https" else {
      throw .invalidURL("it begins neither with https:// nor with http://")
    }
    guard let host = parts.get(CURLUPART_HOST)?.lowercased(), host.utf8.allSatisfy({ $0 < 128 }) else {
      throw .invalidURL("its host name has letters that are not ASCII, and is to be written in its xn-- form")
    }
    try parts.set(CURLUPART_HOST, host)
    try parts.set(CURLUPART_FRAGMENT, nil)
    guard let port = parts.get(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) }), port > 0,
      let path = parts.get(CURLUPART_PATH), let text = parts.get(CURLUPART_URL, CURLU_NO_DEFAULT_PORT)
    else { throw .invalidURL("it has no usable port or path") }
    origin = Origin(scheme: scheme, host: host, port: port)
    self.path = path
    query = parts.get(CURLUPART_QUERY)
    description = text
  }

  /// Resolves a reference relative to this address. RFC 3986 section 5.
  ///
  /// - Throws: `TransferError.invalidURL`.
  public func resolving(_ reference: String) throws(TransferError) -> WebURL {
    // Libcurl resolves these two forms differently: the last segment of the path stays.
    if reference.isEmpty || reference.hasPrefix("#") { return self }
    let parts = try URLParts()
    if reference.hasPrefix("?") {
      try parts.set(origin.description + path + reference)
    } else {
      try parts.set(description)
      try parts.set(reference)
    }
    return try WebURL(parts)
  }

  /// Whether the host is this machine; see `Origin.isLoopback`.
  public var isLoopback: Bool { origin.isLoopback }
}

/// An address in parts. libcurl-url(3).
@safe private struct URLParts: ~Copyable {
  private let handle: OpaquePointer

  init() throws(TransferError) {
    // No preconditions; the result is checked.
    guard let handle = unsafe curl_url() else { throw TransferError.failed("libcurl is out of memory") }
    unsafe self.handle = unsafe handle
  }

  deinit {
    // The only owner of the handle.
    unsafe curl_url_cleanup(handle)
  }

  /// Reads an address, or a reference relative to the present address.
  func set(_ text: String) throws(TransferError) {
    // Libcurl would encode a space in a query as a plus sign, which is for forms only.
    let encoded = text.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "%20")
    try set(CURLUPART_URL, encoded)
  }

  func set(_ part: CURLUPart, _ text: String?) throws(TransferError) {
    let flags = UInt32(CURLU_DISALLOW_USER | CURLU_URLENCODE)
    // Libcurl copies the string; null removes the part.
    let code =
      if let text {
        unsafe curl_url_set(handle, part, text, part == CURLUPART_HOST ? 0 : flags)
      } else {
        unsafe curl_url_set(handle, part, nil, 0)
      }
    guard code == CURLUE_OK else { throw .invalidURL(Self.reason(code)) }
  }

  func get(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    // Libcurl allocates the string, which is copied and freed here.
    guard unsafe curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(text) }
    return unsafe String(cString: text)
  }

  private static func reason(_ code: CURLUcode) -> String {
    switch code {
    case CURLUE_USER_NOT_ALLOWED: "it contains a user name, which belongs to the account"
    case CURLUE_UNSUPPORTED_SCHEME, CURLUE_BAD_SCHEME: "it begins neither with https:// nor with http://"
    case CURLUE_BAD_PORT_NUMBER: "its port is not a number from 1 to 65535"
    case CURLUE_NO_HOST, CURLUE_BAD_HOSTNAME, CURLUE_BAD_IPV6: "its host name is missing or has invalid characters"
    // A static string of libcurl.
    default: unsafe String(cString: curl_url_strerror(code)).lowercased()
    }
  }
}

/// The scheme, host and port of an address. Credentials are never sent to another origin. RFC 6454.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// In lower case; an IPv6 address in brackets.
  public let host: String
  /// The port, also if it is the default.
  public let port: Int

  /// Whether the scheme is https.
  public var isEncrypted: Bool { scheme == "https" }

  /// Whether the host is this machine, so that no data crosses a network. RFC 6761 section 6.3 has `localhost`.
  public var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || isLoopbackAddress
  }

  private var isLoopbackAddress: Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// The origin as text, without a default port.
  public var description: String {
    port == (isEncrypted ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }
}
