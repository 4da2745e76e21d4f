internal import Bus
internal import FoundationEssentials

/// The address of a Monica server in a normal form, which identifies accounts: `https://host[:port][/path]`.
struct MonicaEndpoint: Hashable, Sendable {
  /// The hosted service.
  static let cloud = Self(known: "https://app.monicahq.com")
  /// The largest address in bytes: the name of its token, which is a file name, is made from it.
  static let limit = 200

  /// The address, without `/api` and without a trailing slash.
  let text: String

  /// Makes an endpoint from a stored address.
  init(known text: String) { self.text = text }

  /// Parses an address that a person typed.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`, also for an address to which the token would be sent unencrypted.
  init(_ written: String) throws(Failure) {
    let trimmed = written.trimming { $0 == " " || $0 == "\n" || $0 == "\t" }
    // A host alone means https.
    let whole = trimmed.contains("://") ? trimmed : "https://" + trimmed
    guard !trimmed.isEmpty, let parts = URLComponents(string: whole), let host = parts.host?.lowercased(), !host.isEmpty
    else { throw Self.invalid("give the address of the server, such as https://monica.example.com.") }
    guard parts.user == nil, parts.password == nil else {
      throw Self.invalid("leave user name and password out of the address; only the token is needed.")
    }
    guard parts.query == nil, parts.fragment == nil else { throw Self.invalid("leave out what follows '?' and '#'.") }
    let scheme = parts.scheme?.lowercased()
    guard scheme == "https" || (scheme == "http" && Self.isLoopback(host)) else {
      throw Self.invalid("must begin with https://; otherwise the token could be read on its way.")
    }
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !parts.percentEncodedPath.contains("..") else {
      throw Self.invalid("is not a usable address.")
    }
    let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
    var path = parts.percentEncodedPath[...]
    while path.hasSuffix("/") { path.removeLast() }
    if path == "/api" || path.hasSuffix("/api") { path.removeLast(4) }
    while path.hasSuffix("/") { path.removeLast() }
    self.text = "\(scheme ?? "https")://\(host)\(port)\(path)"
    guard self.text.utf8.count <= Self.limit else { throw Self.invalid("must be at most \(Self.limit) bytes.") }
  }

  /// The name of its token in the secret store: `monica-app.monicahq.com`.
  var tokenName: String {
    let place = self.text.hasPrefix("https://") ? self.text.dropFirst("https://".count) : self.text[...]
    return place.utf8.reduce(into: "monica-") { name, byte in
      let scalar = Unicode.Scalar(byte)
      if scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E {
        name.unicodeScalars.append(scalar)
      } else {
        // Different addresses get different names.
        name += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
  }

  /// The name under which a token is stored until the server has accepted it.
  static let candidateName = "monica-candidate"

  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "[::1]" || host == "::1" || host.isLoopbackIPv4
  }

  private static func invalid(_ why: String) -> Failure { .invalid(field: "endpoint", why) }
}

extension String {
  fileprivate func trimming(_ isBlank: (Character) -> Bool) -> String {
    let start = self.firstIndex { !isBlank($0) } ?? self.endIndex
    let end = self.lastIndex { !isBlank($0) }.map(self.index(after:)) ?? start
    return String(self[start..<end])
  }

  /// Whether it is an address in 127.0.0.0/8. A host name that only begins like one is not.
  fileprivate var isLoopbackIPv4: Bool {
    let parts = self.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
