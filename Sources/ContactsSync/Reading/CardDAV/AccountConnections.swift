public import Bus
internal import DAV
public import EventLoop
internal import KithMessages
public import Secrets
internal import Transfer

/// The connections to CardDAV accounts, and their passwords.
///
/// Connections are kept between passes, one set for each TLS setting.
public final class AccountConnections: Sendable {
  private let secrets: any SecretStore
  private let paths: HubPaths
  private let clients: ClientSet<HTTPClient>

  /// Makes an empty set.
  ///
  /// - Parameters:
  ///   - loop: Runs the transfers, and has to run until ``close()`` returns.
  ///   - secrets: The store of passwords.
  ///   - paths: Which files an account may use as its password or key.
  public init(on loop: LoopExecutor, secrets: any SecretStore, paths: HubPaths) {
    self.secrets = secrets
    self.paths = paths
    self.clients = ClientSet(limit: 32) { tls in HTTPClient(on: loop, tls: tls) }
  }

  /// Closes the connections and cancels their requests.
  public func close() async {
    for client in self.clients.removeAll() { await client.close() }
  }

  /// Connects to an account.
  ///
  /// - Parameters:
  ///   - account: The account; with its password only if that is not stored, as in a discovery.
  ///   - source: The source whose password is stored; nil if none is.
  /// - Throws: `UNAUTHENTICATED/NEEDS_CREDENTIALS` for a user name without a password; `SECRET_UNREADABLE`;
  ///   `PERMISSION_DENIED/PATH_NOT_ALLOWED` for a file of kithd's own.
  func connection(to account: CardDAV, source: String?) async throws(Failure) -> Connection {
    Connection(
      http: try self.http(account), credentials: try await self.credentials(account, source),
      allowsPlainHTTP: account.allowPlainHTTP)
  }

  /// A connection to one account.
  struct Connection: Sendable {
    let http: HTTPClient
    let credentials: Credentials?
    let allowsPlainHTTP: Bool

    /// Used for WebDAV requests.
    var client: DAVClient {
      DAVClient(http: self.http, credentials: self.credentials, allowsPlainHTTP: self.allowsPlainHTTP)
    }
  }

  private func http(_ account: CardDAV) throws(Failure) -> HTTPClient {
    var tls = TLSSettings.system
    if !account.caFile.isEmpty { tls.authorityFile = account.caFile }
    if !account.pinnedKey.isEmpty {
      guard let pin = TLSSettings.KeyPin(account.pinnedKey) else {
        throw .invalid(
          field: "pinned_key", "must be sha256// and the base64 of the SHA-256 of the server's public key.")
      }
      tls.pins = [pin]
    }
    try self.paths.checkUse(of: account.clientKey, field: "carddav.client_key")
    if !account.clientCertificate.isEmpty {
      tls.clientCertificate = TLSSettings.ClientCertificate(
        certificateFile: account.clientCertificate, keyFile: account.clientKey)
    }
    return self.clients.client(for: tls)
  }

  private func credentials(_ account: CardDAV, _ source: String?) async throws(Failure) -> Credentials? {
    guard !account.username.isEmpty else { return nil }
    let password: String?
    if !account.password.isEmpty {
      password = account.password
    } else if !account.passwordFile.isEmpty {
      try self.paths.checkUse(of: account.passwordFile, field: "carddav.password_file")
      password = try SecretFile(path: account.passwordFile).read()
    } else if let source {
      password = try await self.secrets.secret(named: SourceSecret.name(of: source))
    } else {
      password = nil
    }
    guard let password else {
      throw AccountFault.needsCredentials(
        account.passwordFile.isEmpty
          ? "No password is stored for '\(account.username)'." : "There is no file '\(account.passwordFile)'.", source)
    }
    return .basic(username: account.username, password: password)
  }
}
