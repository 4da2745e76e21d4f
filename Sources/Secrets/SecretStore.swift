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

extension SecretStore {
  /// Keeps a secret for a row of the database, which `commit` stores. They are not one transaction: the secret comes first, because
  /// a row without its secret would be used and refused, and is as before when `commit` fails.
  ///
  /// - Parameter secret: Empty = the row has none, and nothing is kept or forgotten.
  /// - Throws: What `commit` throws; else a failure of the store.
  public func keep<Value>(
    _ secret: String, named name: String, for commit: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard !secret.isEmpty else { return try await commit() }
    // One that cannot be read is of no use to anybody.
    let before = try? await self.secret(named: name)
    try await self.keep(secret, named: name)
    do throws(Failure) {
      return try await commit()
    } catch {
      if let before { try await self.keep(before, named: name) } else { try await self.forget(name) }
      throw error
    }
  }
}
