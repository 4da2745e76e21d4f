internal import Bus
import Glibc

/// A regular file, open for reading.
struct OpenFile: ~Copyable {
  private let descriptor: Int32

  /// Opens a file by its path; symbolic links are followed.
  ///
  /// - Throws: A failure of ``SourceFault``.
  init(path: String) throws(Failure) {
    // Never waits for a FIFO's writer: O_NONBLOCK.
    // The path is valid for the call.
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw SourceFault.opening(path, errno: errno) }
    guard Self.isOrdinary(descriptor) else {
      close(descriptor)
      throw SourceFault.notAFile(path)
    }
    self.descriptor = descriptor
  }

  /// Opens a file of a folder; nil with `errno` if it cannot be opened or is not a regular file.
  init?(_ name: FileName, in folder: borrowing Folder) {
    let path = name.bytes.map { CChar(bitPattern: $0) } + [0]
    let descriptor = unsafe openat(
      folder.descriptor, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    guard Self.isOrdinary(descriptor) else {
      close(descriptor)
      errno = EINVAL
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(self.descriptor) }

  private static func isOrdinary(_ descriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The present stamp; nil if the file system fails.
  func stamp() -> FileStamp? {
    var status = stat()
    return unsafe fstat(self.descriptor, &status) == 0 ? FileStamp(status) : nil
  }

  /// Reads the next bytes, at most `count`; empty at the end, nil with `errno` if reading fails.
  func read(_ count: Int) -> [UInt8]? {
    var failed = false
    // The buffer has `count` bytes, and `read` tells how many it wrote.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      var result = unsafe Glibc.read(self.descriptor, buffer.baseAddress, count)
      while result < 0, errno == EINTR { result = unsafe Glibc.read(self.descriptor, buffer.baseAddress, count) }
      failed = result < 0
      filled = max(0, result)
    }
    return failed ? nil : bytes
  }

  /// Seeks to the start.
  func rewind() { lseek(self.descriptor, 0, SEEK_SET) }
}
