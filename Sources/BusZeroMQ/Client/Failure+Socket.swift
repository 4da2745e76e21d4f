package import Bus
internal import Glibc
internal import KithMessages
package import ZeroMQ

extension Failure {
  /// What a caller gets whom the mode of a hub's socket, or of its directory, keeps out.
  package static func forbidden(_ endpoint: IPCEndpoint) -> Failure {
    let directory = endpoint.path.split(separator: "/").dropLast().joined(separator: "/")
    let (user, owner) = (LocalUser.name(of: geteuid()), LocalUser.name(of: endpoint.owner))
    return Failure(
      .permissionDenied, "SOCKET_FORBIDDEN",
      """
      Permission denied: the sockets in /\(directory) belong to the user \(owner), and \(user) may not use them. Run this as \
      \(owner) (`sudo -u \(owner) kith …`), or have \(user) added to [users] of the kithd.toml of that kithd.
      """)
  }
}
