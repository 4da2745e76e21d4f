internal import CCurl

/// How a person is known to a server. No form of it shows the secret.
public enum Credentials: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// User name and password, with each request; a digest of them (RFC 7616) for servers that take nothing else. RFC 7617.
  case basic(username: String, password: String)
  /// A token, as OAuth 2 gives it. RFC 6750.
  case bearer(token: String)

  /// The way, without name and secret.
  public var description: String {
    switch self {
    case .basic: "basic credentials"
    case .bearer: "a bearer token"
    }
  }

  /// Empty, so that a dump has no secret either.
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
