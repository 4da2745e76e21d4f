internal import CCurl

/// How a person is known to a server. No form of it shows the secret.
public enum Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// User name and password, with each request; a digest of it for servers that take nothing else. RFC 7617.
  case basic(username: String, password: String)
  /// User name and password, the latter only as a digest; costs a second round trip. RFC 7616.
  case digest(username: String, password: String)
  /// A token, as OAuth 2 gives it. RFC 6750.
  case bearer(token: String)

  /// The way, without name and secret.
  public var description: String {
    switch self {
    case .basic: "basic credentials"
    case .digest: "digest credentials"
    case .bearer: "a bearer token"
    }
  }

  /// Empty, so that a dump has no secret either.
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// A password that may be sent in the open, as a digest; nil for anything else.
  var asDigest: Credentials? {
    guard case .basic(let username, let password) = self else { return nil }
    return .digest(username: username, password: password)
  }

  /// The form of a password that may be sent in the open in which a server wants it; nil when it wants something else.
  ///
  /// - Parameter challenges: What the server said to a refusal in `WWW-Authenticate`. RFC 9110 section 11.6.1.
  func form(wantedBy challenges: [String]) -> Credentials? {
    guard let digest = self.asDigest else { return nil }
    let schemes = challenges.flatMap { $0.split(separator: ",") }.map { part in
      part.drop { $0 == " " }.prefix { $0 != " " }.lowercased()
    }
    if schemes.contains("basic") { return self }
    return schemes.contains("digest") ? digest : nil
  }

  func configure(_ easy: borrowing EasyHandle) throws(TransferError) {
    switch self {
    case .basic(let username, let password):
      try easy.set(.authentication, KITH_CURLAUTH_BASIC)
      try easy.set(.username, username)
      try easy.set(.password, password)
    case .digest(let username, let password):
      try easy.set(.authentication, KITH_CURLAUTH_DIGEST)
      try easy.set(.username, username)
      try easy.set(.password, password)
    case .bearer(let token):
      try easy.set(.authentication, KITH_CURLAUTH_BEARER)
      try easy.set(.bearerToken, token)
    }
  }
}
