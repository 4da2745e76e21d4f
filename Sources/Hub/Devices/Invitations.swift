internal import Bus
internal import BusZeroMQ
internal import KithMessages

/// The codes by which devices may join, and who used them.
///
/// A pure value: codes and time are passed in. It lives in memory alone, so that no code is ever on the disk.
struct Invitations: Sendable {
  /// An invitation that was made.
  struct Open: Sendable, Hashable {
    let name: String
    let role: Role
    /// Seconds that the device is valid; nil = without end.
    let validFor: Int64?
    /// The principal that invited.
    let by: String
    /// Nanoseconds since 1970.
    let expiresAt: Int64
    /// The digest of the token that used the code; nil = not used yet.
    var usedBy: TokenDigest?
  }

  /// How long a code may be used, in nanoseconds.
  static let lifetime: Int64 = 600 * 1_000_000_000
  /// The most codes at a time.
  static let limit = 8

  private var open: [TokenDigest: Open] = [:]
  private var wrong = WrongCodes()

  /// The invitations that can still be used.
  func usable(now: Int64) -> [Open] {
    self.open.values.filter { $0.usedBy == nil && now < $0.expiresAt }.sorted { $0.expiresAt < $1.expiresAt }
  }

  /// Adds an invitation, and ends an earlier one of the same name.
  ///
  /// - Parameter code: A random one.
  /// - Returns: Whether the code is new.
  /// - Throws: `RESOURCE_EXHAUSTED/TOO_MANY_CODES`.
  mutating func add(_ invitation: Open, code: String, now: Int64) throws(Failure) -> Bool {
    self.open = self.open.filter { now < $0.value.expiresAt && $0.value.name != invitation.name }
    guard self.usable(now: now).count < Self.limit else {
      throw Failure(
        .resourceExhausted, "TOO_MANY_CODES",
        "\(Self.limit) codes wait for their devices already. Use one of them, or wait ten minutes.",
        retryAfterMilliseconds: 60_000)
    }
    let digest = Self.digest(code)
    guard self.open[digest] == nil else { return false }
    self.open[digest] = invitation
    return true
  }

  /// Finds the invitation of a code. A wrong code takes one of the few attempts of its door.
  ///
  /// - Parameters:
  ///   - token: The digest of the device's token. The token that used a code may use it again.
  ///   - door: The client that passes the code on.
  /// - Throws: `NOT_FOUND/CODE_UNKNOWN`; `RESOURCE_EXHAUSTED/TOO_MANY_CODES` after too many wrong codes.
  mutating func find(
    _ code: String, token: TokenDigest, from door: Principal, now: Int64, instant: ContinuousClock.Instant
  ) throws(Failure) -> Open {
    guard self.wrong.mayTry(door.name, instant) else {
      // A right code too: else the limit would only slow down who guesses wrong.
      throw Failure(
        .resourceExhausted, "TOO_MANY_CODES", "Too many wrong codes were entered. Try again in a minute.",
        retryAfterMilliseconds: 60_000)
    }
    guard let found = self.open[Self.digest(code)], now < found.expiresAt,
      found.usedBy == nil || found.usedBy == token
    else {
      self.wrong.count(door.name, instant)
      throw Failure(
        .notFound, "CODE_UNKNOWN", "This code is not valid, or no longer. Ask for a new one: kith web pair")
    }
    return found
  }

  /// Marks a code as used.
  mutating func use(_ code: String, by token: TokenDigest) {
    self.open[Self.digest(code)]?.usedBy = token
  }

  /// Ends a code.
  mutating func end(_ code: String) { self.open[Self.digest(code)] = nil }

  /// Ends the code that waits for a device of a name.
  ///
  /// - Returns: Its invitation; nil if there is none that was not used.
  mutating func end(named name: String) -> Open? {
    guard let (digest, open) = self.open.first(where: { $0.value.name == name && $0.value.usedBy == nil }) else {
      return nil
    }
    self.open[digest] = nil
    return open
  }

  /// The hash by which a code is looked up, so that the time of a look-up tells nothing of the codes. Spaces and hyphens are how people
  /// group digits.
  private static func digest(_ code: String) -> TokenDigest {
    TokenDigest(of: code.filter { !$0.isWhitespace && $0 != "-" })
  }
}

/// How many wrong codes may be tried: few through one door, so that somebody who guesses at one keeps nobody from joining at another, and
/// four times as many through all doors, so that many doors make no guess likely.
private struct WrongCodes: Sendable {
  /// The most doors that are told apart.
  private static let limit = 64

  private var all = RateLimit(burst: 20, interval: .seconds(3))
  private var doors: [String: RateLimit] = [:]

  /// Whether a code may be tried.
  mutating func mayTry(_ door: String, _ now: ContinuousClock.Instant) -> Bool {
    let isFree = self.doors[door]?.hasTokens(now) ?? true
    return self.all.hasTokens(now) && isFree
  }

  /// Counts a wrong code.
  mutating func count(_ door: String, _ now: ContinuousClock.Instant) {
    // Beyond that, the bound of all doors is what protects the codes.
    if self.doors[door] == nil, self.doors.count >= Self.limit { self.doors = [:] }
    _ = self.all.take(now)
    _ = self.doors[door, default: RateLimit(burst: 5, interval: .seconds(12))].take(now)
  }
}
