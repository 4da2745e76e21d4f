internal import Bus
internal import Digest
internal import Glibc
internal import KithMessages

/// The key under which the content of commands is authenticated in the journal.
///
/// It is a file of its own, not a row: whoever gets hold of a copy of the database cannot tell from it what was asked.
enum ContentKey {
  /// Reads the key of a state directory, or makes one.
  ///
  /// - Throws: `FAILED_PRECONDITION/NOT_CONFIGURED` when the file cannot be used.
  static func load(directory: String) throws(Failure) -> HMACKey {
    let path = "\(directory)/content.key"
    if let bytes = Self.read(path), bytes.count == 32 { return HMACKey(bytes) }
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure(path) }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else { throw Self.failure(path) }
    return HMACKey(bytes)
  }

  private static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  private static func failure(_ path: String) -> Failure {
    Failure(
      .failedPrecondition, "NOT_CONFIGURED",
      "\(path) cannot be written: \(String(cString: strerror(errno))). Check the owner of the state directory.")
  }
}
