public import EventLoop
internal import Glibc

/// A directory of this user for sockets and locks.
///
/// ```swift
/// let directory = try RuntimeDirectory(path: "/run/user/1000/kith")
/// let lock = try directory.lock("kithd.lock")
/// try socket.bind(try directory.endpoint("control.sock"))
/// ```
public struct RuntimeDirectory: Hashable, Sendable {
  /// The path of the directory.
  public let path: String

  private let isShared: Bool

  /// Creates the directory with mode 0700, or sets that mode on an existing one.
  ///
  /// - Parameters:
  ///   - path: Its parent must exist.
  ///   - isShared: Whether other users may reach the sockets in it: mode 0711.
  /// - Throws: `IPCError.notPrivate` if the path is no directory or belongs to another user, `system` otherwise.
  public init(path: String, isShared: Bool = false) throws(IPCError) {
    // The string outlives the calls.
    if unsafe mkdir(path, 0o700) == -1, errno != EEXIST {
      throw .system(call: "mkdir", path: path, code: errno)
    }
    // Opened without following a link, so that the checked directory is the changed one; the string outlives the call.
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
    guard fchmod(descriptor, isShared ? 0o711 : 0o700) == 0 else {
      throw .system(call: "fchmod", path: path, code: errno)
    }
    self.path = path
    self.isShared = isShared
  }

  /// Returns the endpoint of a socket in the directory.
  ///
  /// - Throws: `IPCError.pathTooLong`.
  public func endpoint(_ name: String) throws(IPCError) -> IPCEndpoint {
    try IPCEndpoint(path: "\(path)/\(name)", isShared: isShared)
  }

  /// Takes a lock in the directory.
  ///
  /// - Throws: `IPCError.locked` if another process holds it, `system` otherwise.
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
