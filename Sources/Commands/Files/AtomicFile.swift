internal import Bus
internal import Glibc
internal import KithClient
internal import KithMessages

/// A file that appears whole or not at all: written beside its place, then renamed. Only its owner may read it.
struct AtomicFile: ~Copyable {
  private let path: String
  private let temporary: String
  private let descriptor: Int32

  /// Opens the temporary file.
  ///
  /// - Throws: `FAILED_PRECONDITION/FILE_UNWRITABLE`.
  init(path: String) throws(Failure) {
    self.path = path
    self.temporary = "\(path).\(UUIDv7.make().text).part"
    self.descriptor = open(self.temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard self.descriptor >= 0 else { throw Self.unwritable(path) }
  }

  deinit {
    close(self.descriptor)
    // Gone already when it was renamed.
    unlink(self.temporary)
  }

  /// Adds bytes.
  func write(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(self.descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        throw Self.unwritable(self.path)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Puts the file in its place, once its bytes are on disk.
  consuming func commit() throws(Failure) {
    guard fsync(self.descriptor) == 0, rename(self.temporary, self.path) == 0 else { throw Self.unwritable(self.path) }
  }

  private static func unwritable(_ path: String) -> Failure {
    let reason = String(cString: strerror(errno))
    return Failure(
      .failedPrecondition, "FILE_UNWRITABLE",
      "\(path) cannot be written: \(reason). Check the directory, its permissions and the space on the disk.")
  }
}

extension Session {
  /// Fetches a blob into a file, and says so.
  func save(_ blob: BlobRef, to path: String) async throws(Failure) {
    let file = try AtomicFile(path: path)
    try await self.client.download(blob) { (piece) throws(Failure) in try file.write(piece) }
    try file.commit()
    try self.show(blob, ["Wrote \(Count.bytes(blob.size)) to \(path)."])
  }
}
