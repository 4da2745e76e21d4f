internal import Bus
internal import Digest
internal import Glibc
internal import KithMessages
internal import Secrets

/// The key under which the content of commands is authenticated in the journal.
///
/// It is a file of its own, not a row: whoever gets hold of a copy of the database cannot tell from it what was asked.
enum ContentKey {
  /// Reads the key of a state directory, or makes one.
  ///
  /// - Throws: `FAILED_PRECONDITION/NOT_CONFIGURED` when the file cannot be used, `SECRET_NOT_KEPT` when none can be made.
  static func load(directory: String) throws(Failure) -> HMACKey {
    let path = "\(directory)/content.key"
    if let bytes = try Self.read(path) { return HMACKey(bytes) }
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    try SecretFile(path: path).write(bytes)
    return HMACKey(bytes)
  }

  /// The key in the file; nil when there is no file, or one in which nothing was ever written. Any other is never replaced:
  /// remembered commands could not be told again.
  private static func read(_ path: String) throws(Failure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Self.failure(path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    if count == 0 { return nil }
    guard count == 32 else { throw Self.failure(path) }
    return Array(bytes.prefix(count))
  }

  private static func failure(_ path: String) -> Failure {
    Failure(
      .failedPrecondition, "NOT_CONFIGURED",
      "\(path) is not a key of 32 bytes that can be read and written here (\(String(cString: strerror(errno)))). "
        + "Check its owner; remove it if it is damaged: kithd then forgets the answers of earlier commands.")
  }
}
