internal import Digest

/// A login by a digest of the password (RFC 7616): the server's challenge, and the responses to it. No I/O.
///
/// A challenge is used for many requests, until the server sends another nonce. Every request is sent with its body, because some
/// servers check the body of a REPORT before they require a login.
struct DigestLogin: Hashable, Sendable {
  private enum Function: String {
    case md5 = "md5"
    case sha256 = "sha-256"

    func callAsFunction(_ parts: String...) -> String? {
      let bytes = Array(parts.joined(separator: ":").utf8)
      switch self {
      case .md5: return MD5.digest(bytes).map { Hex.encode($0) }
      case .sha256: return Hex.encode(SHA256.digest(bytes))
      }
    }
  }

  private let realm: String
  private let nonce: String
  private let opaque: String?
  /// In the server's spelling; nil if it named none, which means MD5.
  private let algorithm: String?
  private let function: Function
  private let isSession: Bool
  /// Whether responses count the uses of the nonce (`qop`), which RFC 2069 did not have.
  private let countsUses: Bool
  /// Whether the server refused the nonce only because of its age; nil if it does not say.
  let isStale: Bool?
  private var uses: UInt32 = 0

  /// Chooses the first supported challenge; nil if there is none.
  init?(_ challenges: [AuthenticationChallenge]) {
    for challenge in challenges where challenge.scheme == "digest" {
      let parameters = challenge.parameters
      var name = parameters["algorithm"]?.lowercased() ?? "md5"
      let isSession = name.hasSuffix("-sess")
      if isSession { name.removeLast("-sess".count) }
      let qualities = parameters["qop"]?.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
      guard let function = Function(rawValue: name), let nonce = parameters["nonce"],
        qualities?.contains("auth") ?? true, function("") != nil
      else { continue }
      self.realm = parameters["realm"] ?? ""
      self.nonce = nonce
      self.opaque = parameters["opaque"]
      self.algorithm = parameters["algorithm"]
      self.function = function
      self.isSession = isSession
      self.countsUses = qualities != nil
      self.isStale = parameters["stale"].map { $0.lowercased() == "true" }
      return
    }
    return nil
  }

  /// The value of `Authorization` for the next request.
  ///
  /// - Parameters:
  ///   - target: Path and query of the request.
  ///   - clientNonce: A new one for each request.
  mutating func proof(
    username: String, password: String, method: String, target: String, clientNonce: String = Self.clientNonce()
  ) -> String? {
    self.uses &+= 1
    let digits = String(self.uses, radix: 16)
    let count = String(repeating: "0", count: 8 - digits.count) + digits
    guard var secret = self.function(username, self.realm, password), let request = self.function(method, target) else {
      return nil
    }
    if self.isSession { secret = self.function(secret, self.nonce, clientNonce) ?? "" }
    let response =
      self.countsUses
      ? self.function(secret, self.nonce, count, clientNonce, "auth", request)
      : self.function(secret, self.nonce, request)
    guard let response else { return nil }
    var fields = [
      "username=\(Self.quoted(username))", "realm=\(Self.quoted(self.realm))", "nonce=\(Self.quoted(self.nonce))",
      "uri=\(Self.quoted(target))", "response=\(Self.quoted(response))",
    ]
    if let algorithm { fields.append("algorithm=\(algorithm)") }
    if self.countsUses { fields += ["qop=auth", "nc=\(count)"] }
    if self.countsUses || self.isSession { fields.append("cnonce=\(Self.quoted(clientNonce))") }
    if let opaque { fields.append("opaque=\(Self.quoted(opaque))") }
    return "Digest " + fields.joined(separator: ", ")
  }

  static func clientNonce() -> String {
    (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }.joined()
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
  }
}
