internal import EventLoop
internal import Glibc

/// The path of an ipc socket.
///
/// ```swift
/// let endpoint = try IPCEndpoint(path: "/run/kith/control.sock")
/// if endpoint.reach() == .listening { try socket.connect(endpoint.url) }
/// ```
public struct IPCEndpoint: Hashable, Sendable {
  /// The longest path in bytes: `sun_path` without the final NUL. unix(7).
  public static let pathLimit = 107

  /// The path of the socket.
  public let path: String

  /// Whether every user of the machine may connect; ZAP then decides about each.
  public let isShared: Bool

  /// Makes an endpoint.
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

  /// Parses libzmq's spelling; nil for another transport or a path that is too long.
  public init?(url: String) {
    guard url.hasPrefix("ipc://"), let endpoint = try? Self(path: String(url.dropFirst("ipc://".count))) else {
      return nil
    }
    self = endpoint
  }
}

extension Socket {
  /// Accepts connections at an ipc endpoint. The file gets mode 0600, for this user alone, or 0666 if the endpoint is
  /// shared.
  ///
  /// - Important: Take the directory's `LockFile` first: a bind on a path that is in use succeeds and steals it.
  /// - Throws: `ZMQError`.
  public mutating func bind(_ endpoint: IPCEndpoint) throws(ZMQError) {
    try withUmask(endpoint.isShared ? 0o111 : 0o177) { () throws(ZMQError) in try bind(endpoint.url) }
  }
}

/// The umask belongs to the process, so its changes must not overlap.
private let umaskLock = Lock(())

private func withUmask(_ mask: mode_t, _ body: () throws(ZMQError) -> Void) throws(ZMQError) {
  try umaskLock.withLock { (_) throws(ZMQError) in
    let old = umask(mask)
    defer { _ = umask(old) }
    try body()
  }
}

/// Whether a process listens at an ipc endpoint, as far as this process can tell.
///
/// ```swift
/// if endpoint.reach() == .absent { print("No process listens at \(endpoint.path).") }
/// ```
public enum IPCReach: Hashable, Sendable {
  /// A process listens.
  case listening
  /// No process listens: there is no socket, or only the file of an ended process.
  case absent
  /// The mode of the socket or of a parent directory excludes this user.
  case forbidden
}

extension IPCEndpoint {
  /// Tries to connect, without blocking, because libzmq never reports why it cannot connect. unix(7).
  public func reach() -> IPCReach {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, flags, 0)
    // Out of descriptors: libzmq may still succeed.
    guard descriptor >= 0 else { return .listening }
    defer { close(descriptor) }
    // The address outlives the call and is as long as it says.
    guard unsafe self.withAddress({ unsafe connect(descriptor, $0, $1) }) != 0 else { return .listening }
    return switch errno {
    case ENOENT, ECONNREFUSED, ENOTDIR, ELOOP: .absent
    case EACCES, EPERM: .forbidden
    // EAGAIN: the queue of connections is full. EPROTOTYPE: the socket is of another type, such as datagrams.
    default: .listening
    }
  }

  /// Calls `body` with the path as bind(2) and connect(2) take it, and its length. unix(7).
  func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The path has at most `pathLimit` bytes, one less than there is room for.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: self.path.utf8) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    // The structure outlives the call and has `length` bytes.
    return unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }

  /// The owner of the socket, or of the directory that hides it from this process.
  public var owner: UInt32 {
    var path = self.path[...]
    var status = stat()
    // The string and `status` outlive the call. `stat` of the root directory always succeeds.
    while unsafe stat(path.isEmpty ? "/" : String(path), &status) != 0, let end = path.lastIndex(of: "/") {
      path = path[..<end]
    }
    return status.st_uid
  }
}

/// The peer of an ipc connection, as the kernel reported it at connect time.
///
/// ```swift
/// if let peer = IPCPeer(address: "localhost:1000:1000:4711"), peer.isOwnUser { accept() }
/// ```
public struct IPCPeer: Hashable, Sendable {
  /// The user id.
  public let uid: UInt32
  /// The group id.
  public let gid: UInt32
  /// The process id; the process may have ended since.
  public let pid: Int32

  /// Whether it runs as this process's user.
  public var isOwnUser: Bool { uid == geteuid() }

  /// Parses libzmq's form of an ipc address, `localhost:uid:gid:pid`; nil for any other text.
  public init?(address: String) {
    let parts = address.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "localhost",
      let uid = UInt32(parts[1]), let gid = UInt32(parts[2]), let pid = Int32(parts[3])
    else { return nil }
    self.uid = uid
    self.gid = gid
    self.pid = pid
  }
}

/// Why an ipc path or directory cannot be used.
///
/// ```swift
/// do throws(IPCError) { _ = try RuntimeDirectory(path: "/run/kith") } catch { print(error) }
/// ```
public enum IPCError: Error, Hashable, CustomStringConvertible {
  /// A socket path is longer than the system allows.
  case pathTooLong(path: String, limit: Int)
  /// The path is not a directory of this user.
  case notPrivate(path: String)
  /// Another process holds the lock; its id, if it could be read.
  case locked(path: String, holder: Int32?)
  /// Another program listens at the path.
  case occupied(path: String)
  /// The path exists and is not a socket.
  case notASocket(path: String)
  /// A system call failed, with an `errno`.
  case system(call: String, path: String, code: Int32)

  /// What is wrong, with which path, and what to do.
  public var description: String {
    switch self {
    case .pathTooLong(let path, let limit):
      "The socket path \(path) has \(path.utf8.count) bytes, and the system takes \(limit). Choose a shorter directory."
    case .notPrivate(let path):
      "\(path) is not a directory that belongs to this user. Choose another, or remove it."
    case .locked(let path, let holder?):
      "Process \(holder) holds \(path). Stop it first, or choose another directory."
    case .locked(let path, nil):
      "Another process holds \(path). Stop it first, or choose another directory."
    case .occupied(let path):
      "Another program listens at \(path). Stop it first, or choose another directory."
    case .notASocket(let path):
      "\(path) is not a socket. Remove it, or choose another directory."
    case .system(let call, let path, let code):
      // `strerror` returns a NUL-terminated string that is copied at once.
      unsafe "\(call) failed for \(path): \(String(cString: strerror(code)))."
    }
  }
}
