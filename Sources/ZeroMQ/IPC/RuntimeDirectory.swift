public import EventLoop
internal import Glibc

/// A directory for sockets and locks that belongs to this user alone.
public struct RuntimeDirectory: Hashable, Sendable {
  /// Where it is.
  public let path: String

  /// Makes the directory with mode 0700, or takes the one that is there and closes it to others.
  ///
  /// - Parameter path: Its parent must exist.
  /// - Throws: `IPCError.notPrivate` when something else or somebody else's is there, `system` otherwise.
  public init(path: String) throws(IPCError) {
    // The string outlives the calls.
    if unsafe mkdir(path, 0o700) == -1, errno != EEXIST {
      throw .system(call: "mkdir", path: path, code: errno)
    }
    // Opened without following a link, so that what is checked is what is changed; the string outlives the call.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw errno == ENOTDIR || errno == ELOOP
        ? .notPrivate(path: path) : .system(call: "open", path: path, code: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    // `status` is valid for the call.
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", path: path, code: errno) }
    guard status.st_uid == geteuid() else { throw .notPrivate(path: path) }
    guard fchmod(descriptor, 0o700) == 0 else { throw .system(call: "fchmod", path: path, code: errno) }
    self.path = path
  }

  /// The endpoint of a socket in the directory.
  ///
  /// - Throws: `IPCError.pathTooLong`.
  public func endpoint(_ name: String) throws(IPCError) -> IPCEndpoint {
    try IPCEndpoint(path: "\(path)/\(name)")
  }

  /// Takes a lock in the directory.
  ///
  /// - Throws: `IPCError.locked` when another process holds it, `system` otherwise.
  public func lock(_ name: String) throws(IPCError) -> LockFile {
    let path = "\(path)/\(name)"
    do throws(LockFile.Refusal) {
      return try LockFile(path: path)
    } catch {
      switch error {
      case .held(let holder): throw .locked(path: path, holder: holder)
      case .system(let call, let code): throw .system(call: call, path: path, code: code)
      }
    }
  }
}
