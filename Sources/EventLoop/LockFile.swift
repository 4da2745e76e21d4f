internal import Glibc

/// A lock file that one process holds at a time. It is released when the object or the process ends. flock(2).
///
/// The file contains the holder's process id, and remains after the release.
///
/// ```swift
/// let lock = try LockFile(path: "/run/user/1000/kith/kithd.lock")
/// lock.release()
/// ```
public final class LockFile: Sendable {
  /// Why a lock was not obtained.
  public enum Refusal: Error, Hashable {
    /// Another process holds it; its id, if it could be read.
    case held(by: Int32?)
    /// A system call failed, with an `errno`.
    case system(call: String, code: Int32)
  }

  /// The path of the file.
  public let path: String
  /// nil after the release.
  private let descriptor: Lock<CInt?>

  /// Takes the lock. Fails at once if its holder is alive, after two seconds if the holder is dead.
  ///
  /// - Throws: `held` with the holder's id, `system` otherwise.
  public init(path: String) throws(Refusal) {
    // The string outlives the call.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(call: "open", code: errno) }
    do throws(Refusal) {
      try Self.take(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = Lock(descriptor)
  }

  deinit { self.release() }

  /// Releases the lock. Does nothing if it was released before.
  public func release() {
    self.descriptor.withLock { descriptor in
      guard let held = descriptor else { return }
      // Emptied first, so that the file never names a process without the lock.
      _ = ftruncate(held, 0)
      close(held)
      descriptor = nil
    }
  }

  private static func take(_ descriptor: CInt) throws(Refusal) {
    var looks = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) == -1 {
      let code = errno
      if code == EINTR { continue }
      guard code == EWOULDBLOCK else { throw .system(call: "flock", code: code) }
      let holder = self.holder(descriptor)
      // A holder that was killed while starting a program leaves the lock to the child until that executes or ends.
      guard let holder, kill(holder, 0) == -1, errno == ESRCH, looks < Self.mostTries else { throw .held(by: holder) }
      looks += 1
      usleep(20_000)
    }
    let text = Array("\(getpid())\n".utf8)
    // The array outlives the calls and is `count` long.
    guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, text, text.count, 0) == text.count else {
      throw .system(call: "write", code: errno)
    }
  }

  /// The number of retries for the lock of a dead process: two seconds.
  private static let mostTries = 100

  private static func holder(_ descriptor: CInt) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    // At most `count` bytes go into the array.
    let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: buffer.prefix { $0 != 10 && $0 != 0 }, as: UTF8.self))
  }
}
