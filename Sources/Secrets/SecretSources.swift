public import Bus

/// Where secrets are looked for: first among those that systemd hands to the service, then in the store.
///
/// A credential of systemd (`LoadCredential=contacts-home:/etc/kith/home`) is read only: it stands before what the store
/// has, and is changed by whoever keeps it. systemd.exec(5), "Credentials".
public struct SecretSources: SecretStore {
  private let credentials: String?
  private let store: any SecretStore

  /// Makes the order.
  ///
  /// - Parameters:
  ///   - credentials: `$CREDENTIALS_DIRECTORY`; nil where systemd gave none.
  ///   - store: Takes what is kept.
  public init(credentials: String?, store: any SecretStore) {
    self.credentials = credentials
    self.store = store
  }

  /// The credential of the name, or what the store has.
  public func secret(named name: String) async throws(Failure) -> String? {
    if let credentials, let secret = try SecretFile(path: "\(credentials)/\(name)").readCredential() { return secret }
    return try await self.store.secret(named: name)
  }

  /// Keeps it in the store.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    try await self.store.keep(secret, named: name)
  }

  /// Forgets it in the store.
  public func forget(_ name: String) async throws(Failure) { try await self.store.forget(name) }
}
