internal import Glibc

/// What is at an ipc endpoint, as far as this process can tell.
public enum IPCReach: Hashable, Sendable {
  /// A process listens there.
  case listening
  /// Nothing listens: there is no socket, or only the file of one whose process has ended.
  case absent
  /// The mode of the socket or of a directory above it keeps this user out.
  case forbidden
}

extension IPCEndpoint {
  /// Tries the door, which takes no time: what libzmq never tells is why it cannot connect. unix(7).
  public func reach() -> IPCReach {
    let flags = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, flags, 0)
    // Out of descriptors: libzmq may have more luck.
    guard descriptor >= 0 else { return .listening }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The path has at most `pathLimit` bytes, one less than there is room for.
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: self.path.utf8) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    // The structure outlives the call and has `length` bytes.
    let code = unsafe withUnsafePointer(to: address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, length) }
    }
    guard code != 0 else { return .listening }
    return switch errno {
    case ENOENT, ECONNREFUSED, ENOTDIR, ELOOP, EPROTOTYPE: .absent
    case EACCES, EPERM: .forbidden
    // EAGAIN: the queue of those who wait to be accepted is full.
    default: .listening
    }
  }

  /// The user whose socket it is, or whose directory keeps this process from seeing it.
  public var owner: UInt32 {
    var path = self.path[...]
    var status = stat()
    // The string and `status` outlive the call. The root directory can always be looked at.
    while unsafe stat(path.isEmpty ? "/" : String(path), &status) != 0, let end = path.lastIndex(of: "/") {
      path = path[..<end]
    }
    return status.st_uid
  }
}
