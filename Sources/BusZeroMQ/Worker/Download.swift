internal import Bus
internal import Digest
internal import KithMessages

/// One input of a job on its way from the hub. A pure value.
struct Download: Sendable {
  private static let window: UInt32 = 1 << 20
  private static let patience = Duration.seconds(3)
  /// How long whoever wants the job may be away: a hub that is started again has its callers back within seconds.
  private static let absence = Duration.seconds(120)

  private let blob: BlobRef
  private var bytes: [UInt8] = []
  private var askedUpTo = 0
  private var missingSince: ContinuousClock.Instant?
  private(set) var retryAt: ContinuousClock.Instant

  init(_ blob: BlobRef, now: ContinuousClock.Instant) {
    self.blob = blob
    self.retryAt = now
  }

  /// What comes of a chunk.
  enum Outcome: Equatable {
    case waiting
    case ask(Fetch)
    case whole([UInt8])
    /// The bytes are not those of the digest.
    case damaged
    /// The hub has had none for long, and says why.
    case missing(Failure)
  }

  /// Asks for what comes next.
  mutating func ask(_ now: ContinuousClock.Instant) -> Fetch {
    var fetch = Fetch()
    fetch.sha256 = self.blob.sha256
    fetch.offset = UInt64(self.bytes.count)
    fetch.window = Self.window
    self.askedUpTo = self.bytes.count + Int(Self.window)
    self.retryAt = now + Self.patience
    return fetch
  }

  mutating func take(_ chunk: Chunk, _ data: [UInt8], now: ContinuousClock.Instant) -> Outcome {
    guard chunk.status.code == .ok else {
      self.retryAt = now + .milliseconds(Int64(max(chunk.status.retryAfterMs, 200)))
      let since = self.missingSince ?? now
      self.missingSince = since
      return now < since + Self.absence ? .waiting : .missing(Failure(status: chunk.status))
    }
    guard chunk.offset == UInt64(self.bytes.count) else { return .waiting }
    self.missingSince = nil
    self.bytes += data
    self.retryAt = now + Self.patience
    guard !chunk.eof else {
      return Hex.encode(SHA256.digest(self.bytes)) == self.blob.sha256 ? .whole(self.bytes) : .damaged
    }
    return self.bytes.count >= self.askedUpTo ? .ask(self.ask(now)) : .waiting
  }
}
