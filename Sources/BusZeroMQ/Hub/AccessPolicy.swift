public import Bus
internal import EventLoop
internal import KithMessages
public import ZeroMQ

/// Who may connect, and what each may do.
///
/// Over ipc the kernel names the peer's user: the one that runs the daemon is an admin, all others are refused. Asked at
/// the handshake for the connection and at every command for the role, so that a change counts at once.
public struct AccessPolicy: Sendable {
  private let ownUserID: UInt32
  /// By the ZAP domains of planes: whether there is room for one more. Shared by all copies.
  private let rooms = Lock<[String: @Sendable () -> Bool]>([:])

  /// Makes the policy.
  ///
  /// - Parameter ownUserID: The user that runs the daemon.
  public init(ownUserID: UInt32) { self.ownUserID = ownUserID }

  /// Decides on a handshake (ZeroMQ RFC 27).
  public func decide(_ request: ZAPRequest) -> ZAPReply {
    guard case .null = request.credentials, let peer = request.ipcPeer, peer.uid == self.ownUserID else {
      return .refuse
    }
    // Who is told to come later is tried again by libzmq itself, so whoever comes when a plane is full is in when one leaves.
    if let hasRoom = self.rooms.withLock({ $0[request.domain] }), !hasRoom() { return .later }
    return .accept(userID: "uid:\(peer.uid)")
  }

  /// Has a plane asked before each peer that comes to it.
  ///
  /// - Parameter hasRoom: Called by ``decide(_:)``, on the loop of the handler: that has to be the plane's own.
  func askFirst(_ domain: String, hasRoom: @escaping @Sendable () -> Bool) {
    self.rooms.withLock { $0[domain] = hasRoom }
  }

  /// Whom a user id of ``decide(_:)`` stands for; nil for anything else.
  public func principal(userID: String) -> Principal? {
    userID == "uid:\(self.ownUserID)" ? Principal(name: userID, role: .admin) : nil
  }
}
