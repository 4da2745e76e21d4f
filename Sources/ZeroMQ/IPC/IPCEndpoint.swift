internal import EventLoop
internal import Glibc

/// A place in the file system where an ipc socket is bound.
public struct IPCEndpoint: Hashable, Sendable {
  /// The longest path in bytes: `sun_path` without its final NUL. unix(7).
  public static let pathLimit = 107

  /// The file of the socket.
  public let path: String

  /// Whether every user of the machine may connect, to be told apart by ZAP.
  public let isShared: Bool

  /// Takes a path.
  ///
  /// - Throws: `IPCError.pathTooLong`.
  public init(path: String, isShared: Bool = false) throws(IPCError) {
    guard path.utf8.count <= Self.pathLimit else {
      throw .pathTooLong(path: path, limit: Self.pathLimit)
    }
    self.path = path
    self.isShared = isShared
  }

  /// The endpoint as libzmq spells it.
  public var url: String { "ipc://\(path)" }

  /// Reads libzmq's spelling; nil for an endpoint of another transport, or a path that is too long.
  public init?(url: String) {
    guard url.hasPrefix("ipc://"), let endpoint = try? Self(path: String(url.dropFirst("ipc://".count))) else {
      return nil
    }
    self = endpoint
  }
}

extension Socket {
  /// Accepts connections at an ipc endpoint, from this user's processes only unless it is shared: the file gets mode 0600, or
  /// 0666.
  ///
  /// - Important: Take the directory's `LockFile` first: a bind on a path that is in use succeeds and steals it.
  /// - Throws: `ZMQError`.
  public mutating func bind(_ endpoint: IPCEndpoint) throws(ZMQError) {
    try withUmask(endpoint.isShared ? 0o111 : 0o177) { () throws(ZMQError) in try bind(endpoint.url) }
  }
}

/// The umask belongs to the process, so changes of it must not overlap.
private let umaskLock = Lock(())

private func withUmask(_ mask: mode_t, _ body: () throws(ZMQError) -> Void) throws(ZMQError) {
  try umaskLock.withLock { (_) throws(ZMQError) in
    let old = umask(mask)
    defer { _ = umask(old) }
    try body()
  }
}
