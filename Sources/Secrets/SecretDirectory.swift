public import Bus
internal import Glibc

/// Secrets as files of a directory that only its owner may enter.
public struct SecretDirectory: SecretStore {
  /// Where it is.
  public let path: String

  /// Names a directory; it is made with the first secret.
  public init(path: String) { self.path = path }

  /// Reads the file of a name.
  public func secret(named name: String) async throws(Failure) -> String? { try self.file(name).read() }

  /// Writes the file of a name, whole or not at all.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    // The string outlives the calls.
    guard unsafe mkdir(self.path, 0o700) == 0 || errno == EEXIST, unsafe chmod(self.path, 0o700) == 0 else {
      throw .secretNotKept(self.path, SecretFile.reason(errno))
    }
    try self.file(name).write(Array(secret.utf8))
  }

  /// Removes the file of a name.
  public func forget(_ name: String) async throws(Failure) { try self.file(name).remove() }

  private func file(_ name: String) -> SecretFile { SecretFile(path: "\(self.path)/\(name)") }
}
