public import Bus
internal import KithMessages
public import ZeroMQ

/// Who may connect, and what each may do.
///
/// Over ipc the kernel names the peer's user: the one that runs the daemon is an admin, all others are refused. Asked at
/// the handshake for the connection and at every command for the role, so that a change counts at once.
public struct AccessPolicy: Sendable {
  private let ownUserID: UInt32

  /// Makes the policy.
  ///
  /// - Parameter ownUserID: The user that runs the daemon.
  public init(ownUserID: UInt32) { self.ownUserID = ownUserID }

  /// Decides on a handshake (ZeroMQ RFC 27).
  public func decide(_ request: ZAPRequest) -> ZAPReply {
    guard case .null = request.credentials, let peer = request.ipcPeer, peer.uid == self.ownUserID else {
      return .refuse
    }
    return .accept(userID: "uid:\(peer.uid)")
  }

  /// Whom a user id of ``decide(_:)`` stands for; nil for anything else.
  public func principal(userID: String) -> Principal? {
    userID == "uid:\(self.ownUserID)" ? Principal(name: userID, role: .admin) : nil
  }
}
