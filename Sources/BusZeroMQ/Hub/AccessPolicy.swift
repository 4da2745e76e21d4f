public import Bus
internal import EventLoop
public import KithMessages
public import Logging
public import ZeroMQ

/// Decides who may connect, and with which role.
///
/// Over ipc the kernel identifies the peer's user: the user that runs the daemon is an admin; other users have the role
/// from the configuration or are refused. Over tcp a peer proves that it holds a key, and ``KeyRing`` decides about it.
/// The connection is checked at the handshake, the role at every command, so that a change applies at once.
///
/// ```swift
/// let access = AccessPolicy(ownUserID: geteuid(), users: [1001: .recorder])
/// let handler = try await ZAPHandler.start(context: context, loop: loop, logger: logger) { access.decide($0) }
/// ```
public struct AccessPolicy: Sendable {
  /// An attempt to connect with a key.
  public struct AccessAttempt: Sendable, Hashable {
    /// The public key.
    public let key: CurveKey
    /// The peer's address as libzmq spells it.
    public let address: String
  }

  /// What is told of peers.
  private struct Listeners: Sendable {
    var device: (@Sendable (Principal) -> Void)?
    var attempt: (@Sendable (AccessAttempt) -> Void)?
  }

  private let ownUserID: UInt32
  private let users: [UInt32: Role]
  private let logger: Logger
  private let connectionsPerKey: Int
  /// Whether each plane, by its ZAP domain, has room for a connection. Shared by all copies, like the next properties.
  private let rooms = Lock<[String: @Sendable (Arrival) -> Bool]>([:])
  private let fullLines = Lock(RateLimit(burst: 4, interval: .seconds(10)))
  private let ring = Lock(KeyRing())
  private let devices = Lock(DeviceRing())
  private let listeners = Lock(Listeners())
  /// The unknown key of a self-test, which is judged without being recorded.
  private let stranger = Lock<CurveKey?>(nil)

  /// Makes a policy that knows no keys.
  ///
  /// - Parameters:
  ///   - ownUserID: The user that runs the daemon.
  ///   - users: The roles of other users of this machine.
  ///   - connectionsPerKey: The most connections to each plane of one key or of one other user.
  ///   - logger: Logs why a peer was not admitted.
  public init(
    ownUserID: UInt32, users: [UInt32: Role] = [:], connectionsPerKey: Int = WireLimits.connectionsPerKey,
    logger: Logger = Logger(label: "kith.access", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    self.ownUserID = ownUserID
    self.users = users
    self.connectionsPerKey = connectionsPerKey
    self.logger = logger
  }

  /// Decides on a handshake (ZeroMQ RFC 27).
  public func decide(_ request: ZAPRequest) -> ZAPReply {
    let reply =
      switch request.credentials {
      case .null: self.decide(user: request)
      case .curve(let key): self.decide(key, request)
      case .plain: ZAPReply.refuse
      }
    guard case .accept(let userID) = reply, let hasRoom = self.rooms.withLock({ $0[request.domain] }) else {
      return reply
    }
    let arrival = Arrival(userID: userID, isLocal: request.ipcPeer != nil, share: self.share(of: userID))
    // Its unread messages from earlier connections are taken first.
    if self.owner(of: userID).map(ConnectionTraffic.hasRoom) ?? true, hasRoom(arrival) { return reply }
    if self.fullLines.withLock({ $0.take(.now) }) {
      self.logger.notice(
        "no place for another connection", metadata: ["plane": "\(request.domain)", "peer": "\(userID)"])
    }
    // The peer's libzmq reconnects, so the peer is admitted when there is room.
    return .later
  }

  /// The most connections of a user id to each plane; nil = no limit, for the user that runs the daemon.
  func share(of userID: String) -> Int? { userID == "uid:\(self.ownUserID)" ? nil : self.connectionsPerKey }

  /// The owner whose share of the hub's memory a user id uses; nil = no share applies.
  func owner(of userID: String) -> String? { self.share(of: userID) == nil ? nil : userID }

  /// The principal of a user id from ``decide(_:)``; nil if its key was revoked or has expired, or the user has no role.
  public func principal(userID: String) -> Principal? {
    if userID.hasPrefix("uid:") {
      return UInt32(userID.dropFirst(4)).flatMap { self.role(of: $0) }.map { Principal(name: userID, role: $0) }
    }
    guard userID.hasPrefix("key:") else { return nil }
    let grant = self.ring.withLock { $0.grant(named: String(userID.dropFirst(4)), now: WallClock.nanoseconds()) }
    return grant.map { Principal(name: userID, role: $0.role, services: $0.services) }
  }

  /// The principal of a command: that of its token's device, or without a token that of its connection.
  ///
  /// - Parameters:
  ///   - userID: From ``decide(_:)``.
  ///   - token: Of the command's header; empty = none.
  /// - Throws: `UNAUTHENTICATED` with `PRINCIPAL_UNKNOWN` or `DEVICE_UNKNOWN`.
  func principal(userID: String, token: String) throws(Failure) -> Principal {
    guard let connection = self.principal(userID: userID) else {
      throw Failure(.unauthenticated, "PRINCIPAL_UNKNOWN", "This hub does not know your key or user.")
    }
    guard !token.isEmpty else { return connection }
    guard let device = self.devices.withLock({ $0.principal(token, now: WallClock.nanoseconds()) }) else {
      throw Failure(
        .unauthenticated, "DEVICE_UNKNOWN",
        "The hub does not know this device: it was revoked, has expired, or was never paired. Pair it again.")
    }
    self.listeners.withLock { $0.device }?(device)
    return device
  }

  /// Replaces the known devices by the stored ones.
  public func setDevices(_ grants: [TokenDigest: DeviceGrant]) { self.devices.withLock { $0.replace(grants) } }

  /// Sets the listener that is told of each command of a device.
  ///
  /// - Parameter listener: Called on the event loop of the control plane; it must not wait.
  public func onDeviceCommand(_ listener: @escaping @Sendable (Principal) -> Void) {
    self.listeners.withLock { $0.device = listener }
  }

  /// Replaces the known keys by the stored ones.
  public func setKeys(_ states: [CurveKey: KeyRing.KeyState]) { self.ring.withLock { $0.replace(states) } }

  /// Sets the listener for access attempts by new and known keys. Attempts above the rate limit are not reported.
  ///
  /// - Parameter listener: Called on the event loop of the handshakes; it must not wait.
  public func onAccessAttempt(_ listener: @escaping @Sendable (AccessAttempt) -> Void) {
    self.listeners.withLock { $0.attempt = listener }
  }

  /// Sets the function that is asked before a peer is admitted to a plane.
  ///
  /// - Parameter hasRoom: Called by ``decide(_:)`` on the event loop of the ZAP handler, which must be the plane's loop.
  func askFirst(_ domain: String, hasRoom: @escaping @Sendable (Arrival) -> Bool) {
    self.rooms.withLock { $0[domain] = hasRoom }
  }

  /// Sets the key that is judged without being recorded; nil = none.
  func expectStranger(_ key: CurveKey?) { self.stranger.withLock { $0 = key } }

  // MARK: - Deciding

  private func role(of user: UInt32) -> Role? { user == self.ownUserID ? .admin : self.users[user] }

  private func decide(user request: ZAPRequest) -> ZAPReply {
    guard let peer = request.ipcPeer, let role = self.role(of: peer.uid),
      peer.uid == self.ownUserID || KeyRing.isOpen(request.domain, to: role)
    else {
      self.logger.notice(
        "user not let in", metadata: ["plane": "\(request.domain)", "peer": "\(request.address)"])
      return .refuse
    }
    return .accept(userID: "uid:\(peer.uid)")
  }

  private func decide(_ key: CurveKey, _ request: ZAPRequest) -> ZAPReply {
    let (now, instant) = (WallClock.nanoseconds(), ContinuousClock.now)
    if self.stranger.withLock({ $0 == key }) {
      var copy = self.ring.withLock { $0 }
      return copy.judge(key, domain: request.domain, now: now, instant: instant).reply
    }
    let verdict = self.ring.withLock { $0.judge(key, domain: request.domain, now: now, instant: instant) }
    if verdict.isLogged, let why = verdict.why {
      self.logger.notice(
        "key not let in",
        metadata: [
          "fingerprint": "\(KeyFingerprint.of(key.bytes))", "plane": "\(request.domain)", "peer": "\(request.address)",
          "why": "\(why)",
        ])
    }
    if verdict.isNoted { self.listeners.withLock { $0.attempt }?(AccessAttempt(key: key, address: request.address)) }
    return verdict.reply
  }
}
