public import Bus
internal import EventLoop
public import KithMessages
public import Logging
public import ZeroMQ

/// Who may connect, and what each may do.
///
/// Over ipc the kernel names the peer's user: the one that runs the daemon is an admin, others have the role that the
/// configuration gives them, or are refused. Over tcp a peer proves that it holds a key, and ``KeyRing`` says what that
/// may do. Asked at the handshake for the connection and at every command for the role, so that a change counts at once.
public struct AccessPolicy: Sendable {
  /// An attempt to connect with a key.
  public struct AccessAttempt: Sendable, Hashable {
    /// The public key.
    public let key: CurveKey
    /// From where, as libzmq spells it.
    public let address: String
  }

  private let ownUserID: UInt32
  private let users: [UInt32: Role]
  private let logger: Logger
  private let connectionsPerKey: Int
  /// By the ZAP domains of planes: whether there is room for one more. Shared by all copies, like what follows.
  private let rooms = Lock<[String: @Sendable (Arrival) -> Bool]>([:])
  private let fullLines = Lock(RateLimit(burst: 4, interval: .seconds(10)))
  private let ring = Lock(KeyRing())
  private let listener = Lock<(@Sendable (AccessAttempt) -> Void)?>(nil)
  /// The key of a self-test, which is a stranger to the ring, and leaves no trace.
  private let stranger = Lock<CurveKey?>(nil)

  /// Makes the policy. No key is known at first.
  ///
  /// - Parameters:
  ///   - ownUserID: The user that runs the daemon.
  ///   - users: Other users of this machine, with what they may do.
  ///   - connectionsPerKey: Connections that a key, or one of the other users, may have to each plane.
  ///   - logger: Told why somebody was not let in.
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
    // What it sent by earlier connections comes first.
    if self.owner(of: userID).map(ConnectionTraffic.hasRoom) ?? true, hasRoom(arrival) { return reply }
    if self.fullLines.withLock({ $0.take(.now) }) {
      self.logger.notice(
        "no place for another connection", metadata: ["plane": "\(request.domain)", "peer": "\(userID)"])
    }
    // The peer's libzmq connects again by itself, so the peer is let in once a place is free.
    return .later
  }

  /// How many connections a user id may have to each plane; nil = any number. The user that runs the daemon could also end it.
  func share(of userID: String) -> Int? { userID == "uid:\(self.ownUserID)" ? nil : self.connectionsPerKey }

  /// Who has a share of what the hub holds for its peers; nil = without one.
  func owner(of userID: String) -> String? { self.share(of: userID) == nil ? nil : userID }

  /// Whom a user id of ``decide(_:)`` stands for; nil if the key was revoked or has expired, or the user has no role.
  public func principal(userID: String) -> Principal? {
    if userID.hasPrefix("uid:") {
      return UInt32(userID.dropFirst(4)).flatMap { self.role(of: $0) }.map { Principal(name: userID, role: $0) }
    }
    guard userID.hasPrefix("key:") else { return nil }
    let grant = self.ring.withLock { $0.grant(named: String(userID.dropFirst(4)), now: WallClock.nanoseconds()) }
    return grant.map { Principal(name: userID, role: $0.role, services: $0.services) }
  }

  /// Takes the keys that are stored in place of what was known.
  public func setKeys(_ states: [CurveKey: KeyRing.KeyState]) { self.ring.withLock { $0.replace(states) } }

  /// Sets the listener for access attempts by new and known keys. Attempts above the rate limit are not reported.
  ///
  /// - Parameter listener: Called on the event loop of the handshakes; it must not wait.
  public func onAccessAttempt(_ listener: @escaping @Sendable (AccessAttempt) -> Void) {
    self.listener.withLock { $0 = listener }
  }

  /// Has a plane asked before each peer that comes to it.
  ///
  /// - Parameter hasRoom: Called by ``decide(_:)``, on the loop of the handler: that has to be the plane's own.
  func askFirst(_ domain: String, hasRoom: @escaping @Sendable (Arrival) -> Bool) {
    self.rooms.withLock { $0[domain] = hasRoom }
  }

  /// Judges a key without keeping anything of it; nil = none any more.
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
    if verdict.isNoted { self.listener.withLock { $0 }?(AccessAttempt(key: key, address: request.address)) }
    return verdict.reply
  }
}
