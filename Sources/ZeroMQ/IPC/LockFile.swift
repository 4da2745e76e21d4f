internal import Glibc

/// A lock that one process holds at a time; given up when it goes, also when the process is killed. flock(2).
///
/// The file keeps the id of the holder, and stays when the lock is given up.
public struct LockFile: ~Copyable, Sendable {
  /// Where it is.
  public let path: String
  private let descriptor: Int32

  /// Takes the lock, or fails at once.
  ///
  /// - Throws: `IPCError.locked` naming the process that holds it, `system` otherwise.
  public init(path: String) throws(IPCError) {
    // The string outlives the call.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
    do throws(IPCError) {
      try Self.take(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // Emptied first, so that the file never names a process that does not hold it.
    _ = ftruncate(descriptor, 0)
    close(descriptor)
  }

  private static func take(_ descriptor: Int32, _ path: String) throws(IPCError) {
    while flock(descriptor, LOCK_EX | LOCK_NB) == -1 {
      let code = errno
      if code == EINTR { continue }
      throw code == EWOULDBLOCK
        ? .locked(path: path, holder: holder(descriptor)) : .system(call: "flock", path: path, code: code)
    }
    let text = Array("\(getpid())\n".utf8)
    // The array outlives the calls and is `count` long.
    guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, text, text.count, 0) == text.count else {
      throw .system(call: "write", path: path, code: errno)
    }
  }

  private static func holder(_ descriptor: Int32) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    // At most `count` bytes go into the array.
    let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: buffer.prefix { $0 != 10 && $0 != 0 }, as: UTF8.self))
  }
}
