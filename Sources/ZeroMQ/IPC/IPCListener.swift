internal import Glibc

/// A socket of bytes at an ipc endpoint, for programs that speak no ZMTP. Only this user's processes, and root's, may connect.
///
/// ```swift
/// let listener = try IPCListener(runtime.endpoint("metrics.sock"))
/// while let connection = try listener.accept() { serve(connection) }
/// ```
public struct IPCListener: ~Copyable, Sendable {
  /// Readable when a connection waits.
  public let descriptor: Int32
  private let path: String

  /// Listens. The socket of a process that has ended gives way.
  ///
  /// - Parameter endpoint: Its mode becomes 0600, also where others may come to the other sockets.
  /// - Throws: `IPCError.occupied`, `notASocket`, and `system` if the directory is gone, full or read-only.
  public init(_ endpoint: IPCEndpoint) throws(IPCError) {
    self.path = endpoint.path
    self.descriptor = try Self.listen(endpoint)
  }

  deinit { close(self.descriptor) }

  /// Takes the next connection, which does not block.
  ///
  /// - Returns: Its descriptor, which the caller closes; nil if none waits.
  /// - Throws: `IPCError.system`, for one if no descriptor is left.
  public func accept() throws(IPCError) -> Int32? {
    let connection = Glibc.accept(self.descriptor, nil, nil)
    let code = errno
    guard connection >= 0 else {
      if code == EAGAIN || code == EINTR || code == ECONNABORTED { return nil }
      throw .system(call: "accept", path: self.path, code: code)
    }
    _ = fcntl(connection, F_SETFL, O_NONBLOCK)
    _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    return connection
  }

  private static func listen(_ endpoint: IPCEndpoint) throws(IPCError) -> Int32 {
    try Self.removeStale(endpoint)
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, flags, 0)
    guard descriptor >= 0 else { throw .system(call: "socket", path: endpoint.path, code: errno) }
    var call = "fchmod"
    // Before it has a name: the file gets the mode of its socket.
    var isDone = fchmod(descriptor, 0o600) == 0
    if isDone {
      call = "bind"
      // The address outlives the call and is as long as it says.
      isDone = unsafe endpoint.withAddress({ unsafe bind(descriptor, $0, $1) }) == 0
    }
    if isDone {
      call = "listen"
      isDone = Glibc.listen(descriptor, 8) == 0
    }
    guard isDone else {
      let code = errno
      close(descriptor)
      throw .system(call: call, path: endpoint.path, code: code)
    }
    return descriptor
  }

  /// Removes the file that a process left which was killed.
  private static func removeStale(_ endpoint: IPCEndpoint) throws(IPCError) {
    var status = stat()
    // String and structure outlive the call.
    guard unsafe lstat(endpoint.path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path: endpoint.path) }
    guard endpoint.reach() == .absent else { throw .occupied(path: endpoint.path) }
    // The string outlives the call.
    unsafe unlink(endpoint.path)
  }
}
