public import Bus
internal import KithMessages

/// Keeps passwords and tokens outside the database, each under a name such as `contacts-home`.
///
/// Nothing of it ever goes into logs, events, messages or process arguments.
public protocol SecretStore: Sendable {
  /// The secret of a name; nil when there is none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE` when there is one that cannot or must not be used.
  func secret(named name: String) async throws(Failure) -> String?

  /// Keeps a secret under a name, in place of the one before. On disk when it returns.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func keep(_ secret: String, named name: String) async throws(Failure)

  /// Forgets the secret of a name, if there is one.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func forget(_ name: String) async throws(Failure)
}

extension Failure {
  static func unreadableSecret(_ place: String, _ why: String) -> Failure {
    Failure(.failedPrecondition, "SECRET_UNREADABLE", "The secret in \(place) cannot be used: \(why).")
  }

  static func secretNotKept(_ place: String, _ why: String) -> Failure {
    Failure(
      .failedPrecondition, "SECRET_NOT_KEPT", "The secret cannot be kept in \(place): \(why). Nothing was changed.")
  }
}

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
