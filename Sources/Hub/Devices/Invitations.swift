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
  private var wrong = RateLimit(burst: 5, interval: .seconds(12))

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

  /// Finds the invitation of a code. A wrong code takes one of the few attempts that all devices have together.
  ///
  /// - Parameter token: The digest of the device's token. The token that used a code may use it again.
  /// - Throws: `NOT_FOUND/CODE_UNKNOWN`; `RESOURCE_EXHAUSTED/TOO_MANY_CODES` after too many wrong codes.
  mutating func find(
    _ code: String, token: TokenDigest, now: Int64, instant: ContinuousClock.Instant
  ) throws(Failure) -> Open {
    guard self.wrong.hasTokens(instant) else {
      // A right code too: else the limit would only slow down who guesses wrong.
      throw Failure(
        .resourceExhausted, "TOO_MANY_CODES", "Too many wrong codes were entered. Try again in a minute.",
        retryAfterMilliseconds: 60_000)
    }
    guard let found = self.open[Self.digest(code)], now < found.expiresAt,
      found.usedBy == nil || found.usedBy == token
    else {
      _ = self.wrong.take(instant)
      throw Failure(
        .notFound, "CODE_UNKNOWN", "This code is not valid, or no longer. Ask for a new one: kith web pair")
    }
    return found
  }

  /// Marks a code as used.
  mutating func use(_ code: String, by token: TokenDigest) {
    self.open[Self.digest(code)]?.usedBy = token
  }

  /// The hash by which a code is looked up, so that the time of a look-up tells nothing of the codes. Spaces and hyphens are how people
  /// group digits.
  private static func digest(_ code: String) -> TokenDigest {
    TokenDigest(of: code.filter { !$0.isWhitespace && $0 != "-" })
  }
}
