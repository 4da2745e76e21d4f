internal import Glibc

/// A file whose lock one process holds at a time; given up when it goes, also when the process is killed. flock(2).
///
/// The file keeps the id of the holder, and stays when the lock is given up.
public final class LockFile: Sendable {
  /// Why a lock cannot be had.
  public enum Refusal: Error, Hashable {
    /// Another process holds it; its id, if it could be read.
    case held(by: Int32?)
    /// A system call failed, with an `errno`.
    case system(call: String, code: Int32)
  }

  /// Where it is.
  public let path: String
  /// Nil once it was given up.
  private let descriptor: Lock<CInt?>

  /// Takes the lock, or fails: at once where its holder lives, after two seconds where it does not.
  ///
  /// - Throws: `held` naming the process that has it, `system` otherwise.
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

  /// Gives the lock up; nothing happens when it was given up before.
  public func release() {
    self.descriptor.withLock { descriptor in
      guard let held = descriptor else { return }
      // Emptied first, so that the file never names a process that does not hold it.
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
      // One that was killed while it started a program has left its lock to that, until the program runs or ends as well.
      guard let holder, kill(holder, 0) == -1, errno == ESRCH, looks < Self.patience else { throw .held(by: holder) }
      looks += 1
      usleep(20_000)
    }
    let text = Array("\(getpid())\n".utf8)
    // The array outlives the calls and is `count` long.
    guard ftruncate(descriptor, 0) == 0, unsafe pwrite(descriptor, text, text.count, 0) == text.count else {
      throw .system(call: "write", code: errno)
    }
  }

  /// How often the lock of a dead process is tried again: for two seconds.
  private static let patience = 100

  private static func holder(_ descriptor: CInt) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    // At most `count` bytes go into the array.
    let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    return Int32(String(decoding: buffer.prefix { $0 != 10 && $0 != 0 }, as: UTF8.self))
  }
}
