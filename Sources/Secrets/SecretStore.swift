public import Bus
internal import KithMessages

/// Keeps passwords and tokens outside the database, each under a name such as `contacts-home`.
///
/// Secrets never go into logs, events, messages or process arguments.
public protocol SecretStore: Sendable {
  /// The secret of a name; nil if there is none.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE` if it cannot or must not be used.
  func secret(named name: String) async throws(Failure) -> String?

  /// Stores or replaces the secret of a name. It is on the disk when the call returns.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func keep(_ secret: String, named name: String) async throws(Failure)

  /// Deletes the secret of a name, if there is one.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  func forget(_ name: String) async throws(Failure)

  /// Changes the secret of a row of the database, which `commit` stores.
  ///
  /// They are not one transaction: the secret comes first, because a row without its secret would be used and refused. The
  /// secret is as before if `commit` fails, unless the secret of before could not be read.
  ///
  /// - Parameter secret: Nil = it stays; empty = the row has none, and what an earlier row of this name left is deleted.
  /// - Throws: What `commit` throws; else a failure of the store.
  func keep<Value>(
    _ secret: String?, named name: String, for commit: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value
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

extension SecretStore {
  /// Changes the secret, then runs `commit`; puts the secret of before back if `commit` fails.
  public func keep<Value>(
    _ secret: String?, named name: String, for commit: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let secret else { return try await commit() }
    let before: Result<String?, Failure>
    do throws(Failure) {
      before = .success(try await self.secret(named: name))
    } catch {
      guard error.code != .cancelled else { throw error }
      before = .failure(error)
    }
    try await self.put(secret, named: name)
    do throws(Failure) {
      return try await commit()
    } catch {
      // In a task of its own: a cancelled one would not run the keyring's program. The caller learns why `commit` failed,
      // whether or not this succeeds.
      if case .success(let before) = before { await Task { try? await self.put(before ?? "", named: name) }.value }
      throw error
    }
  }

  private func put(_ secret: String, named name: String) async throws(Failure) {
    if secret.isEmpty { try await self.forget(name) } else { try await self.keep(secret, named: name) }
  }
}

/// Looks for secrets first among systemd's credentials, then in the store.
///
/// A credential (`LoadCredential=contacts-home:/etc/kith/home`) is read-only and takes precedence over the store.
/// systemd.exec(5), "Credentials".
public struct SecretSources: SecretStore {
  private let credentials: String?
  private let store: any SecretStore

  /// Combines credentials and a store.
  ///
  /// - Parameters:
  ///   - credentials: `$CREDENTIALS_DIRECTORY`; nil if systemd set none.
  ///   - store: Receives the secrets to keep.
  public init(credentials: String?, store: any SecretStore) {
    self.credentials = credentials
    self.store = store
  }

  /// The credential of the name, or the secret in the store.
  public func secret(named name: String) async throws(Failure) -> String? {
    if let credentials, let secret = try SecretFile(path: "\(credentials)/\(name)").readCredential() { return secret }
    return try await self.store.secret(named: name)
  }

  /// Stores the secret in the store.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    try await self.store.keep(secret, named: name)
  }

  /// Changes the secret in the store. A credential is neither changed nor copied into the store.
  public func keep<Value>(
    _ secret: String?, named name: String, for commit: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await self.store.keep(secret, named: name, for: commit)
  }

  /// Deletes the secret from the store.
  public func forget(_ name: String) async throws(Failure) { try await self.store.forget(name) }
}
