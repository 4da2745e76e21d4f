internal import Bus
internal import KithMessages

/// How much one device may do at once and in a time. A pure value; the time is passed in.
///
/// Devices are told apart by the SHA-256 of their tokens, whether the hub knows them or not.
///
/// ```swift
/// var limits = DeviceLimits()
/// try limits.begin(credential.digest, isWrite: true, now: .now)
/// limits.end(credential.digest)
/// ```
public struct DeviceLimits: Sendable {
  /// Requests of a device at once.
  public static let requests = 8
  /// Streams of a device at once.
  public static let streams = 8
  /// Writes of a device at once; after them two a second.
  public static let writes = 240
  /// Devices that are told apart at once.
  static let devices = 512

  private struct Use: Sendable {
    var requests = 0
    var streams = 0
    var writes = RateLimit(burst: DeviceLimits.writes, interval: .milliseconds(500))
    var lastAt: ContinuousClock.Instant
    /// Whether the hub has accepted the token. One that it has not, which may be made up, gives its place to another where there is none
    /// left; until then its writes are counted, so that a device whose every write is refused sends no more of them than others.
    var isKnown = false

    var isIdle: Bool { self.requests == 0 && self.streams == 0 }
  }

  private var uses: [String: Use] = [:]

  /// Makes limits that nobody has used yet.
  public init() {}

  /// Counts a request; ``end(_:)`` follows.
  ///
  /// - Throws: 429.
  public mutating func begin(_ device: String, isWrite: Bool, now: ContinuousClock.Instant) throws(Refusal) {
    var use = try self.use(of: device, now: now)
    guard use.requests < Self.requests else {
      throw Self.refusal(
        "REQUESTS_AT_ONCE", "This device has \(Self.requests) requests under way already.", after: 1000)
    }
    if isWrite, !use.writes.take(now) {
      self.uses[device] = use
      throw Self.refusal("TOO_MANY_WRITES", "This device has sent too many changes in a short time.", after: 1000)
    }
    use.requests += 1
    self.uses[device] = use
  }

  /// Counts the end of a request.
  public mutating func end(_ device: String) { self.uses[device]?.requests -= 1 }

  /// Remembers that the hub has accepted a token.
  public mutating func accept(_ device: String) { self.uses[device]?.isKnown = true }

  /// Notes that the hub does not know a token, or no longer.
  public mutating func reject(_ device: String) { self.uses[device]?.isKnown = false }

  /// Counts a stream; ``endStream(_:)`` follows.
  ///
  /// - Throws: 429.
  public mutating func beginStream(_ device: String, now: ContinuousClock.Instant) throws(Refusal) {
    var use = try self.use(of: device, now: now)
    guard use.streams < Self.streams else {
      throw Self.refusal(
        "STREAMS_AT_ONCE", "This device follows \(Self.streams) streams already. End one of them.", after: 5000)
    }
    use.streams += 1
    self.uses[device] = use
  }

  /// Counts the end of a stream.
  public mutating func endStream(_ device: String) { self.uses[device]?.streams -= 1 }

  private mutating func use(of device: String, now: ContinuousClock.Instant) throws(Refusal) -> Use {
    if self.uses[device] == nil, self.uses.count >= Self.devices {
      // After two minutes without a request its writes are all there again.
      self.uses = self.uses.filter { _, use in !use.isIdle || (use.isKnown && use.lastAt + .seconds(120) > now) }
      guard self.uses.count < Self.devices else {
        throw Self.refusal("TOO_MANY_DEVICES", "Too many devices use kith-web at once.", after: 30_000)
      }
    }
    var use = self.uses[device] ?? Use(lastAt: now)
    use.lastAt = now
    return use
  }

  private static func refusal(_ reason: String, _ sentence: String, after milliseconds: UInt32) -> Refusal {
    Refusal(
      Failure(
        .resourceExhausted, reason, "\(sentence) Try again in a moment.", retryAfterMilliseconds: milliseconds))
  }
}
