package import Bus
internal import Glibc
internal import KithMessages
package import ZeroMQ

/// Whether the hub admits this client, derived from libzmq's monitor events. A pure value.
struct Admittance: Sendable {
  /// The state of the last connection attempt.
  enum State: Sendable, Hashable {
    /// Not connected.
    case absent
    /// Connected, but the handshake has not ended.
    case waiting
    /// The connection was closed immediately, during the handshake.
    case cut
    /// The hub refused this client; libzmq does not reconnect.
    case refused
    /// The handshake succeeded.
    case admitted
  }

  /// A hub that does not know the client's key keeps the connection for seconds, except if ZAP answered very fast; a hub
  /// with another server key closes it immediately, each time.
  private static let atOnce = Duration.milliseconds(300)

  private(set) var state = State.absent
  private var connectedAt: ContinuousClock.Instant?
  private var wasCut = false

  /// Records an event of the connection.
  mutating func note(_ event: MonitorEvent.Kind, _ now: ContinuousClock.Instant) {
    switch event {
    case .connected:
      self.connectedAt = now
      self.wasCut = self.state == .cut
      self.state = .waiting
    case .handshakeSucceeded: self.state = .admitted
    case .handshakeRefused(400): self.state = .refused
    case .handshakeBroken, .handshakeInvalid:
      self.state = self.connectedAt.map { now - $0 < Self.atOnce } ?? false ? .cut : .waiting
    default: break
    }
  }

  /// Why the client is not admitted; nil if it is, or if no hub answers.
  ///
  /// - Parameter identity: The client's keys; nil over ipc, where the kernel identifies the user.
  func failure(endpoint: String, identity: CurveIdentity?, now: ContinuousClock.Instant) -> Failure? {
    guard let identity else {
      guard self.state == .refused else { return nil }
      return Failure(
        .unauthenticated, "PRINCIPAL_UNKNOWN",
        """
        The kithd at \(endpoint) does not serve this user of the machine. Run the command as the user that runs kithd, or have \
        that user name you under [users] in its configuration.
        """)
    }
    let fingerprint = KeyFingerprint.of(identity.keys.publicKey.bytes)
    // A new connection may end like the previous one.
    let isNew = self.wasCut && self.connectedAt.map { now - $0 < Self.atOnce } ?? false
    switch self.state == .waiting && isNew ? .cut : self.state {
    case .absent, .admitted: return nil
    case .waiting:
      return Failure(
        .unauthenticated, "KEY_NOT_ADMITTED",
        """
        The hub at \(endpoint) does not let the key \(fingerprint) in. On the hub, `kith keys pending` shows whether it waits: \
        kith keys approve \(fingerprint) --name NAME. If it is approved already, `kith keys list` and the hub's log say why.
        """)
    case .cut:
      return Failure(
        .unauthenticated, "SERVER_KEY_WRONG",
        """
        What answers at \(endpoint) is not the hub with the key \(KeyFingerprint.of(identity.serverKey.bytes)). On the hub, \
        `kith keys show` tells its key; if it was changed, give the new one: --server-key KEY.
        """)
    case .refused:
      return Failure(
        .unauthenticated, "KEY_REFUSED",
        """
        The hub at \(endpoint) refuses the key \(fingerprint): it was revoked, or too many others wait for approval. \
        A revoked key stays out; make a new one: kith keys new --file FILE.
        """)
    }
  }
}

extension Failure {
  /// The failure of a client that may not open the hub's socket or enter its directory.
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
