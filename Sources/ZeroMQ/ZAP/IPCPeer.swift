internal import Glibc

/// The process at the other end of an ipc connection, as the kernel reported it when it connected.
public struct IPCPeer: Hashable, Sendable {
  /// Its user.
  public let uid: UInt32
  /// Its group.
  public let gid: UInt32
  /// Its process, which may have ended since.
  public let pid: Int32

  /// Whether it runs as the same user as this process.
  public var isOwnUser: Bool { uid == geteuid() }

  /// Reads libzmq's form of an ipc address, `localhost:uid:gid:pid`; nil for anything else.
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
