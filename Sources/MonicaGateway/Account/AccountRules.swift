internal import Bus
internal import KithMessages
internal import Secrets

/// The rules for a login.
enum AccountRules {
  /// The largest token in bytes. Monica's tokens have about a thousand.
  private static let tokenLimit = 8192

  /// The server of a login.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  static func endpoint(_ request: LoginRequest) throws(Failure) -> MonicaEndpoint {
    switch request.instance {
    case .endpoint(let text)?: return try MonicaEndpoint(text)
    case .cloud(true)?: return .cloud
    case .cloud(false)?, nil:
      throw .invalid(field: "endpoint", "give the address of the server, or cloud for \(MonicaEndpoint.cloud.text).")
    }
  }

  /// The token of a login: from the request, or from a file on the hub's disk.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`; `FAILED_PRECONDITION/SECRET_UNREADABLE` for a file that other users
  ///   may read.
  static func token(_ request: LoginRequest) throws(Failure) -> String {
    guard request.token.isEmpty != request.tokenFile.isEmpty else {
      throw .invalid(field: "token", "give an API token, or a file that holds it, and not both.")
    }
    let field = request.tokenFile.isEmpty ? "token" : "token_file"
    var written = request.token
    if !request.tokenFile.isEmpty {
      guard let text = try SecretFile(path: request.tokenFile).read() else {
        throw .invalid(field: field, "there is no such file on the hub's disk.")
      }
      written = text
    }
    let token = String(written.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    guard !token.isEmpty, token.utf8.count <= Self.tokenLimit, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalid(field: field, "is no API token. Monica shows one once, under Settings, API.")
    }
    return token
  }

  /// The last characters of a token, which people may see to recognise it.
  static func masked(_ token: String?) -> String {
    guard let token, !token.isEmpty else { return "" }
    return "\u{2022}\u{2022}\u{2022}\u{2022}" + (token.utf8.count >= 16 ? token.suffix(4) : "")
  }
}
