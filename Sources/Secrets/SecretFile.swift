public import Bus
internal import Glibc

/// A file with one secret that only its owner may read.
public struct SecretFile: Sendable {
  /// The path of the file.
  public let path: String

  /// The most bytes of a secret.
  static let limit = 64 << 10

  /// Names a file.
  public init(path: String) { self.path = path }

  /// Reads the secret without its line end.
  ///
  /// - Returns: Nil if there is no file.
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE`: others may read it, or it is empty, not text, or too large.
  public func read() throws(Failure) -> String? { try self.read(closedTo: 0o077) }

  /// Reads a credential of systemd, whose directory only the service can enter.
  ///
  /// A service with its own user gets access by an access list, whose mask `stat` shows as rights of the group
  /// (systemd.exec(5), "Credentials"; acl(5)).
  ///
  /// - Returns: Nil if there is no file.
  /// - Throws: As ``read()``.
  func readCredential() throws(Failure) -> String? { try self.read(closedTo: 0o007) }

  private func read(closedTo others: mode_t) throws(Failure) -> String? {
    // The string outlives the call.
    let descriptor = unsafe open(self.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unreadableSecret(self.path, Self.reason(errno))
    }
    defer { close(descriptor) }
    var status = stat()
    // `status` is written whole by a call that succeeds.
    guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadableSecret(self.path, Self.reason(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .unreadableSecret(self.path, "it is not a regular file") }
    guard status.st_mode & others == 0 else {
      throw .unreadableSecret(self.path, "others may read it. Run: chmod 600 \(self.path)")
    }
    guard status.st_size <= Self.limit else { throw .unreadableSecret(self.path, "it is too large for a secret") }
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    // At most `count` bytes go into the array.
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .unreadableSecret(self.path, Self.reason(errno)) }
    let text = Self.secret(in: bytes[..<count])
    guard !text.isEmpty else { throw .unreadableSecret(self.path, "it is empty") }
    guard let secret = String(validating: text, as: UTF8.self) else {
      throw .unreadableSecret(self.path, "it is not UTF-8 text")
    }
    return secret
  }

  /// The secret in the bytes of a file or of standard input, without its line end, LF or CR LF.
  package static func secret(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var secret = bytes
    if secret.last == UInt8(ascii: "\n") { secret.removeLast() }
    if secret.last == UInt8(ascii: "\r") { secret.removeLast() }
    return secret
  }

  /// Creates the missing directories above the file, for this user only.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  package func makeDirectories() throws(Failure) {
    for (index, character) in zip(self.path.indices, self.path).dropFirst() where character == "/" {
      // The string outlives the call.
      guard unsafe mkdir(String(self.path[..<index]), 0o700) == 0 || errno == EEXIST else {
        throw .secretNotKept(self.path, Self.reason(errno))
      }
    }
  }

  /// Replaces the secret atomically.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  package func write(_ bytes: [UInt8]) throws(Failure) {
    let part = self.path + ".part"
    // The strings outlive the calls.
    let descriptor = unsafe open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .secretNotKept(self.path, Self.reason(errno)) }
    // The array outlives the call and is `count` long.
    let isWritten = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let code = errno
    close(descriptor)
    guard isWritten, unsafe rename(part, self.path) == 0 else {
      let why = Self.reason(isWritten ? errno : code)
      unsafe unlink(part)
      throw .secretNotKept(self.path, why)
    }
    Self.syncParent(of: self.path)
  }

  /// Removes the file if it exists.
  func remove() throws(Failure) {
    // The string outlives the call.
    guard unsafe unlink(self.path) == 0 || errno == ENOENT else { throw .secretNotKept(self.path, Self.reason(errno)) }
    Self.syncParent(of: self.path)
  }

  /// Syncs the directory, so that a rename is on the disk.
  private static func syncParent(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    // The string outlives the call.
    let descriptor = unsafe open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  static func reason(_ code: Int32) -> String {
    // `strerror` returns a text that lives at least until the next call on this thread.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

/// Secrets as files in a directory that only its owner may enter.
public struct SecretDirectory: SecretStore {
  /// The path of the directory.
  public let path: String

  /// Names a directory; it is created with the first secret.
  public init(path: String) { self.path = path }

  /// Reads the secret's file.
  public func secret(named name: String) async throws(Failure) -> String? { try self.file(name).read() }

  /// Writes the secret's file atomically.
  public func keep(_ secret: String, named name: String) async throws(Failure) {
    // The string outlives the calls.
    guard unsafe mkdir(self.path, 0o700) == 0 || errno == EEXIST, unsafe chmod(self.path, 0o700) == 0 else {
      throw .secretNotKept(self.path, SecretFile.reason(errno))
    }
    try self.file(name).write(Array(secret.utf8))
  }

  /// Removes the secret's file.
  public func forget(_ name: String) async throws(Failure) { try self.file(name).remove() }

  private func file(_ name: String) -> SecretFile { SecretFile(path: "\(self.path)/\(name)") }
}
