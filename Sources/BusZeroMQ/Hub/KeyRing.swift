public import KithMessages
public import ZeroMQ

/// The keys that the hub knows, and what it answers to the one that knocks.
///
/// A pure value; times come in. It is a copy of what is stored, so that a handshake never waits for the disk.
public struct KeyRing: Sendable {
  /// How a key stands with the hub.
  public enum KeyState: Sendable, Hashable {
    /// It has knocked, and nobody has decided yet.
    case pending
    /// It may come in.
    case approved(KeyGrant)
    /// It may not, ever.
    case revoked
  }

  /// What a handshake comes to.
  struct Verdict: Hashable {
    let reply: ZAPReply
    /// Why it is not let in; nil when it is.
    var why: String?
    /// Whether the log is told.
    var isLogged = false
    /// Whether what is stored of the key changes: it is new, or was seen.
    var isNoted = false
  }

  /// Keys that may wait for approval: docs/protocol.md, 9.
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

  /// Takes what is stored in place of what was known. What is counted of newcomers stays.
  public mutating func replace(_ states: [CurveKey: KeyState]) {
    self.states = states
    self.grants = Self.grants(of: states)
  }

  /// What a name was approved for, if that still holds.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  func grant(named name: String, now: Int64) -> KeyGrant? {
    self.grants[name].flatMap { $0.holds(at: now) ? $0 : nil }
  }

  /// Decides about a key that has proven to hold its secret.
  ///
  /// - Parameters:
  ///   - domain: The plane that it knocks at.
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
        return self.put(off("the key is unknown, and many others came just now"), instant)
      }
      self.states[key] = .pending
      return Verdict(reply: .later, why: "the key is unknown; it waits for approval now", isLogged: true, isNoted: true)
    }
  }

  /// Workers take jobs and nothing else; everybody else has no business there.
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

/// What the key of another machine was approved for.
public struct KeyGrant: Sendable, Hashable {
  /// Under which it is known: a-z, 0-9 and hyphens.
  public let name: String
  /// What it may do.
  public let role: Role
  /// Of a worker: the services that it may take jobs of.
  public let services: Set<String>
  /// Nanoseconds since 1970; nil = without end.
  public let expiresAt: Int64?

  /// Makes a grant.
  public init(name: String, role: Role, services: Set<String> = [], expiresAt: Int64? = nil) {
    self.name = name
    self.role = role
    self.services = services
    self.expiresAt = expiresAt
  }

  /// Whether it still holds.
  func holds(at now: Int64) -> Bool { self.expiresAt.map { now < $0 } ?? true }
}

/// So many at once, and one more for each interval that passes. A pure value.
struct RateLimit: Sendable, Hashable {
  private let burst: Int
  private let interval: Duration
  private var left: Int
  private var filledAt: ContinuousClock.Instant?

  /// Begins full.
  init(burst: Int, interval: Duration) {
    self.burst = burst
    self.interval = interval
    self.left = burst
  }

  /// Takes one; false when none is left.
  mutating func take(_ now: ContinuousClock.Instant) -> Bool {
    let filledAt = self.filledAt ?? now
    let grown = Int((now - filledAt) / self.interval)
    self.left = min(self.burst, self.left + max(0, grown))
    // What has passed of the next one counts, except when there is no room for it.
    self.filledAt = self.left == self.burst ? now : filledAt + self.interval * max(0, grown)
    guard self.left > 0 else { return false }
    self.left -= 1
    return true
  }
}
