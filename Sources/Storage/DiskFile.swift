internal import Bus
internal import Digest
internal import Glibc
internal import KithMessages

/// An open file, closed when it goes out of scope.
struct DiskFile: ~Copyable {
  private let descriptor: CInt
  private let path: String

  /// Opens an existing file, or creates it with mode 0600.
  ///
  /// - Returns: Nil if it does not exist and `create` is false.
  /// - Throws: `STATE_DIRECTORY_UNUSABLE` or `DISK_FULL`.
  static func open(_ path: String, create: Bool = false) throws(Failure) -> DiskFile? {
    // The path is a C string for the length of the call.
    let descriptor = unsafe Glibc.open(path, (create ? O_RDWR | O_CREAT : O_RDWR) | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0, errno == ENOENT, !create { return nil }
    guard descriptor >= 0 else { throw .unusable(path) }
    return DiskFile(descriptor: descriptor, path: path)
  }

  deinit { _ = Glibc.close(self.descriptor) }

  /// The size in bytes.
  func size() throws(Failure) -> UInt64 {
    var status = stat()
    // `status` outlives the call.
    guard unsafe fstat(self.descriptor, &status) == 0 else { throw .unusable(self.path) }
    return UInt64(status.st_size)
  }

  /// Appends all bytes or none.
  ///
  /// - Parameter end: The current size.
  func append(_ bytes: [UInt8], at end: UInt64) throws(Failure) {
    var done = 0
    while done < bytes.count {
      // The pointer is valid inside the closure, and `done` is below the count.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          self.descriptor, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done, off_t(end) + off_t(done))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let failure = Failure.unusable(self.path)
        _ = ftruncate(self.descriptor, off_t(end))
        throw failure
      }
      done += count
    }
  }

  /// Reads at most `length` bytes from an offset; fewer at the end.
  func read(at offset: UInt64, length: Int) throws(Failure) -> [UInt8] {
    var count = 0
    // `initialized` is set to what pread reports, which is never more than the capacity it was given.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      repeat {
        count = unsafe pread(self.descriptor, buffer.baseAddress, length, off_t(offset))
      } while count < 0 && errno == EINTR
      initialized = max(0, count)
    }
    guard count >= 0 else { throw .unusable(self.path) }
    return bytes
  }

  /// The SHA-256 of the content, read in pieces.
  func digest() throws(Failure) -> [UInt8] {
    var digest = SHA256()
    var offset: UInt64 = 0
    while true {
      let piece = try self.read(at: offset, length: 256 << 10)
      guard !piece.isEmpty else { return digest.finish() }
      digest.update(piece)
      offset += UInt64(piece.count)
    }
  }

  /// Syncs the content to the disk (fsync).
  func synchronize() throws(Failure) {
    guard fsync(self.descriptor) == 0 else { throw .unusable(self.path) }
  }

  /// Sets mode 0600.
  func makePrivate() throws(Failure) {
    guard fchmod(self.descriptor, 0o600) == 0 else { throw .unusable(self.path) }
  }
}

// The paths below are C strings for the length of each call.
extension DiskFile {
  /// Creates a directory with mode 0700 unless it exists.
  static func makeDirectory(_ path: String) throws(Failure) {
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .unusable(path) }
  }

  /// Sets a directory's mode to 0700.
  static func makeDirectoryPrivate(_ path: String) throws(Failure) {
    guard unsafe chmod(path, 0o700) == 0 else { throw .unusable(path) }
  }

  /// Renames a file durably.
  static func move(_ path: String, to target: String, in directory: String) throws(Failure) {
    guard unsafe rename(path, target) == 0 else { throw .unusable(target) }
    try self.synchronizeDirectory(directory)
  }

  /// Syncs a directory's entries to the disk (fsync).
  static func synchronizeDirectory(_ directory: String) throws(Failure) {
    let descriptor = unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable(directory) }
    defer { _ = Glibc.close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .unusable(directory) }
  }

  /// Removes a file if it exists.
  static func remove(_ path: String) { _ = unsafe unlink(path) }

  /// When a file was last written, nanoseconds since 1970; nil if it does not exist.
  static func modified(_ path: String) -> Int64? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
  }
}

extension Failure {
  /// An error for a path that the system refuses, with the text of its `errno`.
  static func unusable(_ path: String, _ code: Int32 = errno) -> Failure {
    if code == ENOSPC || code == EDQUOT || code == EIO { return .diskFull }
    // The text is copied before another call can overwrite it.
    let why = unsafe String(cString: strerror(code))
    return Failure(
      .failedPrecondition, "STATE_DIRECTORY_UNUSABLE",
      "\(path) cannot be used: \(why). The state directory must belong to the user that kithd runs as.")
  }
}
