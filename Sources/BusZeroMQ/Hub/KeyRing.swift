internal import Bus
public import KithMessages
public import ZeroMQ

/// The keys that the hub knows; decides whether a key may connect.
///
/// A pure value; time is passed in. It is a copy of the stored keys, so that a handshake never waits for the disk.
///
/// ```swift
/// var ring = KeyRing()
/// ring.replace([key: .approved(KeyGrant(name: "tablet", role: .recorder))])
/// ```
public struct KeyRing: Sendable {
  /// The state of a key.
  public enum KeyState: Sendable, Hashable {
    /// It tried to connect and waits for approval.
    case pending
    /// It may connect.
    case approved(KeyGrant)
    /// It may never connect again.
    case revoked
  }

  /// The decision about a handshake.
  struct Verdict: Hashable {
    let reply: ZAPReply
    /// Why the key is not admitted; nil if it is.
    var why: String?
    /// Whether the decision is logged.
    var isLogged = false
    /// Whether the stored key changes: it is new, or was last seen now.
    var isNoted = false
  }

  /// The most keys that may wait for approval: docs/protocol.md, 9.
  public static let pendingLimit = 32

  private var states: [CurveKey: KeyState]
  private var grants: [String: KeyGrant]
  private var newcomers = RateLimit(burst: 8, interval: .seconds(1))
  private var lines = RateLimit(burst: 16, interval: .seconds(2))

  /// Makes a ring.
  public init(_ states: [CurveKey: KeyState] = [:]) {
    self.states = states
    self.grants = Self.grants(of: states)
  }

  /// Replaces the known keys by the stored ones. The rate limits keep their state.
  public mutating func replace(_ states: [CurveKey: KeyState]) {
    self.states = states
    self.grants = Self.grants(of: states)
  }

  /// The grant of a name, unless it has expired.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  func grant(named name: String, now: Int64) -> KeyGrant? {
    self.grants[name].flatMap { $0.holds(at: now) ? $0 : nil }
  }

  /// Decides about a key whose peer has proven to hold its secret.
  ///
  /// - Parameters:
  ///   - domain: The plane that the peer connects to.
  ///   - now: Nanoseconds since 1970.
  mutating func judge(
    _ key: CurveKey, domain: String, now: Int64, instant: ContinuousClock.Instant
  ) -> Verdict {
    switch self.states[key] {
    case .approved(let grant):
      guard grant.holds(at: now) else { return self.put(off("the key has expired"), instant) }
      guard Self.isOpen(domain, to: grant.role) else {
        return self.put(off("a key of the role \(grant.role.rawValue) has no business on this plane"), instant)
      }
      return Verdict(reply: .accept(userID: "key:\(grant.name)"), isNoted: true)
    case .revoked:
      return self.put(Verdict(reply: .refuse, why: "the key was revoked"), instant)
    case .pending:
      return self.put(off("the key waits for approval", isNoted: true), instant)
    case nil:
      guard self.states.values.count(where: { $0 == .pending }) < Self.pendingLimit else {
        return self.put(
          Verdict(reply: .refuse, why: "the key is unknown, and \(Self.pendingLimit) wait for approval already"),
          instant)
      }
      guard self.newcomers.take(instant) else {
        return self.put(off("the key is unknown, and too many new keys tried to connect"), instant)
      }
      self.states[key] = .pending
      return Verdict(reply: .later, why: "the key is unknown; it waits for approval now", isLogged: true, isNoted: true)
    }
  }

  /// Whether a role may connect to a plane: workers only to the work plane, other roles only to the other planes.
  static func isOpen(_ domain: String, to role: Role) -> Bool { (domain == "work") == (role == .worker) }

  private func off(_ why: String, isNoted: Bool = false) -> Verdict {
    Verdict(reply: .later, why: why, isNoted: isNoted)
  }

  private mutating func put(_ verdict: Verdict, _ instant: ContinuousClock.Instant) -> Verdict {
    var verdict = verdict
    verdict.isLogged = self.lines.take(instant)
    return verdict
  }

  private static func grants(of states: [CurveKey: KeyState]) -> [String: KeyGrant] {
    var grants: [String: KeyGrant] = [:]
    for case .approved(let grant) in states.values { grants[grant.name] = grant }
    return grants
  }
}

/// The rights of an approved key.
///
/// ```swift
/// let grant = KeyGrant(name: "kitchen-tablet", role: .recorder)
/// ```
public struct KeyGrant: Sendable, Hashable {
  /// The key's name: a-z, 0-9 and hyphens.
  public let name: String
  /// The key's role.
  public let role: Role
  /// The services whose jobs a worker may run.
  public let services: Set<String>
  /// Nanoseconds since 1970; nil = never.
  public let expiresAt: Int64?

  /// Makes a grant.
  public init(name: String, role: Role, services: Set<String> = [], expiresAt: Int64? = nil) {
    self.name = name
    self.role = role
    self.services = services
    self.expiresAt = expiresAt
  }

  /// Whether the grant has not expired.
  func holds(at now: Int64) -> Bool { self.expiresAt.map { now < $0 } ?? true }
}
