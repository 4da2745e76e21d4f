internal import CCurl

/// The login at a server. No description or dump of it contains the secret.
public enum Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// User name and password, sent with each request (RFC 7617); or a digest of them for servers that require it (RFC 7616).
  case basic(username: String, password: String)
  /// An OAuth 2 token. RFC 6750.
  case bearer(token: String)

  /// The kind of login, without name and secret.
  public var description: String {
    switch self {
    case .basic: "basic credentials"
    case .bearer: "a bearer token"
    }
  }

  /// Empty, so that a dump shows no secret.
  public var customMirror: Mirror { Mirror(self, children: []) }

  func configure(_ easy: borrowing EasyHandle) throws(TransferError) {
    switch self {
    case .basic(let username, let password):
      try easy.set(.authentication, KITH_CURLAUTH_BASIC)
      try easy.set(.username, username)
      try easy.set(.password, password)
    case .bearer(let token):
      try easy.set(.authentication, KITH_CURLAUTH_BEARER)
      try easy.set(.bearerToken, token)
    }
  }
}
