internal import Bus
internal import KithMessages

/// How often somebody who is not known yet may try, by address. A pure value; the time is passed in.
///
/// ```swift
/// var limits = AddressLimits()
/// try limits.pair(from: "192.168.1.20", now: .now)
/// ```
public struct AddressLimits: Sendable {
  /// Codes that an address may try in a minute; then it waits for one.
  public static let codes = 5
  /// Tokens that the hub did not know, from an address at once; after them one a second.
  public static let unknownTokens = 30
  /// Addresses that are told apart at once.
  static let addresses = 1024

  private struct Use: Sendable {
    var codes: [ContinuousClock.Instant] = []
    var unknown = RateLimit(burst: AddressLimits.unknownTokens, interval: .seconds(1))
    var lastAt: ContinuousClock.Instant
  }

  private var uses: [String: Use] = [:]

  /// Makes limits that nobody has used yet.
  public init() {}

  /// Counts an attempt to pair.
  ///
  /// - Throws: 429 until a minute after the last of five attempts.
  public mutating func pair(from address: String, now: ContinuousClock.Instant) throws(Refusal) {
    var use = self.use(of: address, now: now)
    if let last = use.codes.last, last + .seconds(60) <= now { use.codes = [] }
    guard use.codes.count < Self.codes else {
      throw Self.refusal(
        "TOO_MANY_CODES", "Too many codes were tried from this address. Try again in a minute.", after: 60_000)
    }
    use.codes.append(now)
    self.uses[address] = use
  }

  /// Whether an address has shown so many unknown tokens that no more are looked at for now.
  ///
  /// - Throws: 429.
  public mutating func check(_ address: String, now: ContinuousClock.Instant) throws(Refusal) {
    guard var use = self.uses[address] else { return }
    let isFree = use.unknown.hasTokens(now)
    self.uses[address] = use
    guard isFree else {
      throw Self.refusal(
        "TOO_MANY_TOKENS", "Too many tokens were tried from this address. Try again later.", after: 5000)
    }
  }

  /// Counts a token that the hub did not know.
  public mutating func countUnknown(from address: String, now: ContinuousClock.Instant) {
    var use = self.use(of: address, now: now)
    _ = use.unknown.take(now)
    self.uses[address] = use
  }

  private mutating func use(of address: String, now: ContinuousClock.Instant) -> Use {
    if self.uses[address] == nil, self.uses.count >= Self.addresses {
      self.uses = self.uses.filter { $0.value.lastAt + .seconds(60) > now }
      // Whoever has many addresses is not stopped by address; the hub bounds codes for all together.
      if self.uses.count >= Self.addresses { self.uses = [:] }
    }
    var use = self.uses[address] ?? Use(lastAt: now)
    use.lastAt = now
    return use
  }

  private static func refusal(_ reason: String, _ sentence: String, after milliseconds: UInt32) -> Refusal {
    Refusal(Failure(.resourceExhausted, reason, sentence, retryAfterMilliseconds: milliseconds))
  }
}
