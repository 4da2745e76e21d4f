internal import Glibc

/// A file of sound, read and written whole.
final class SoundFile {
  /// The most bytes of a file.
  static let limit = 32 << 20

  /// Flags of open(2) to read.
  static let reading = O_RDONLY

  private let descriptor: Int32

  /// Opens a file; a link in place of it is refused.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - flags: Of open(2).
  init(path: String, flags: Int32) throws(SoundFault) {
    // The string outlives the call.
    self.descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard self.descriptor >= 0 else { throw Self.refused("open") }
  }

  deinit { close(self.descriptor) }

  /// Creates a file that only its owner can read; fails if it exists.
  static func make(_ bytes: [UInt8], path: String) throws(SoundFault) {
    let file = try SoundFile(path: path, flags: O_WRONLY | O_CREAT | O_EXCL)
    try file.write(bytes, at: 0)
  }

  /// Reads the whole file.
  func read() throws(SoundFault) -> [UInt8] {
    var status = stat()
    // The structure outlives the call.
    guard unsafe fstat(self.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .storage("it is not a regular file")
    }
    guard status.st_size <= Self.limit else { throw .tooLarge(limit: Self.limit) }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      // The array has `count` bytes, `filled` of which are read.
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe pread(
          self.descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, off_t(filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.refused("read") }
      // The file has become shorter.
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Writes at an offset.
  func write(_ bytes: [UInt8], at offset: Int) throws(SoundFault) {
    var written = 0
    while written < bytes.count {
      // The array has `count` bytes, of which those from `written` on are left.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          self.descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written, off_t(offset + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.refused("write") }
      written += count
    }
  }

  private static func refused(_ call: String) -> SoundFault {
    // `strerror` returns a NUL-terminated string that is copied before anything else can run on this thread.
    .storage("\(call) failed: \(unsafe String(cString: strerror(errno)))")
  }
}
