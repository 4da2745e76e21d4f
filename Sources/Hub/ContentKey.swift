internal import Bus
internal import Digest
internal import Glibc
internal import KithMessages
internal import Secrets

/// The key that authenticates the content of commands in the journal.
///
/// It is a separate file, not a row: a copy of the database alone does not reveal what commands contained.
enum ContentKey {
  /// Reads the key of a state directory, or creates one.
  ///
  /// - Throws: `FAILED_PRECONDITION/NOT_CONFIGURED` if the file cannot be used, `SECRET_NOT_KEPT` if it cannot be
  ///   created.
  static func load(directory: String) throws(Failure) -> HMACKey {
    let path = "\(directory)/content.key"
    if let bytes = try Self.read(path) { return HMACKey(bytes) }
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    try SecretFile(path: path).write(bytes)
    return HMACKey(bytes)
  }

  /// Eight digits that this installation keeps, for names of files beside those of other households. They tell nothing of the key.
  static func household(_ key: HMACKey) -> String {
    Hex.encode(key.authenticationCode(for: Array("household".utf8)).prefix(4))
  }

  /// The key in the file; nil if the file does not exist or is empty. Any other file is never replaced: without its
  /// key, the replies of stored commands could not be replayed.
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
