internal import Bus
internal import KithMessages

/// One input of a job on its way from the hub. A pure value.
struct Download: Sendable {
  private static let window: UInt32 = 1 << 20
  /// How long whoever wants the job may be away: a hub that is started again has its callers back within seconds.
  private static let absence = Duration.seconds(120)

  private let blob: BlobRef
  private var bytes: [UInt8] = []
  private var askedUpTo = 0
  private var missingSince: ContinuousClock.Instant?
  private var backoff: RetryBackoff

  init(_ blob: BlobRef, now: ContinuousClock.Instant) {
    self.blob = blob
    self.backoff = RetryBackoff(now)
  }

  /// What comes of a chunk.
  enum Outcome: Equatable {
    case waiting
    case ask(Fetch)
    /// All has come. That it is what was named is for others to see, as it takes a while.
    case whole([UInt8])
    /// The hub has had none for long, and says why.
    case missing(Failure)
  }

  /// When ``again(now:)`` is due.
  var retryAt: ContinuousClock.Instant { self.backoff.end }

  /// Asks for what comes next.
  mutating func ask(_ now: ContinuousClock.Instant) -> Fetch {
    var fetch = Fetch()
    fetch.sha256 = self.blob.sha256
    fetch.offset = UInt64(self.bytes.count)
    fetch.window = Self.window
    self.askedUpTo = self.bytes.count + Int(Self.window)
    self.backoff.hear(now)
    return fetch
  }

  /// Asks again for what has not come.
  mutating func again(now: ContinuousClock.Instant) -> Fetch {
    self.backoff.again(now)
    return self.ask(now)
  }

  mutating func take(_ chunk: Chunk, _ data: [UInt8], now: ContinuousClock.Instant) -> Outcome {
    guard chunk.status.code == .ok else {
      self.backoff.pause(.milliseconds(Int64(max(chunk.status.retryAfterMs, 200))), now)
      let since = self.missingSince ?? now
      self.missingSince = since
      return now < since + Self.absence ? .waiting : .missing(Failure(status: chunk.status))
    }
    // Also one that was asked for twice says that the others are on their way.
    self.backoff.hear(now)
    self.missingSince = nil
    guard chunk.offset == UInt64(self.bytes.count) else { return .waiting }
    self.bytes += data
    guard !chunk.eof else { return .whole(self.bytes) }
    return self.bytes.count >= self.askedUpTo ? .ask(self.ask(now)) : .waiting
  }
}
