internal import Bus
internal import Digest
internal import KithMessages

/// The download of one input of a job from the hub. A pure value.
struct Download: Sendable {
  private static let window: UInt32 = 1 << 20
  /// The longest time that the hub may lack the input: callers return within seconds after a restart of the hub.
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

  /// The result of a chunk.
  enum Outcome: Equatable {
    case waiting
    case ask(Fetch)
    /// Complete. The caller verifies the digest, which takes a while.
    case whole([UInt8])
    /// The hub has lacked the input for too long; with its error.
    case missing(Failure)
  }

  /// When ``again(now:)`` is due.
  var retryAt: ContinuousClock.Instant { self.backoff.end }

  /// Makes a request for the next part.
  mutating func ask(_ now: ContinuousClock.Instant) -> Fetch {
    var fetch = Fetch()
    fetch.sha256 = self.blob.sha256
    fetch.offset = UInt64(self.bytes.count)
    fetch.window = Self.window
    self.askedUpTo = self.bytes.count + Int(Self.window)
    self.backoff.hear(now)
    return fetch
  }

  /// Makes a repeated request for the missing part.
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
    // A repeated chunk also shows that others are on their way.
    self.backoff.hear(now)
    self.missingSince = nil
    guard chunk.offset == UInt64(self.bytes.count) else { return .waiting }
    self.bytes += data
    guard !chunk.eof else { return .whole(self.bytes) }
    return self.bytes.count >= self.askedUpTo ? .ask(self.ask(now)) : .waiting
  }
}

/// The upload of one body larger than a frame to the hub. A pure value.
struct Upload: Sendable {
  private static let window = 4 * WireLimits.attachment

  /// Its digest and size.
  let blob: BlobRef
  let bytes: [UInt8]
  private var sent = 0
  private var taken = 0
  /// The offset of the last rewind, until the hub is beyond it.
  private var rewoundTo: Int?
  /// Whether the hub has no room at present.
  private var isHeldBack = false
  private var backoff: RetryBackoff
  private(set) var isDone = false
  /// Why the hub refuses the body for good.
  private(set) var refusal: Failure?

  /// Makes an upload; nil for a body that fits a frame. It computes the digest, so do not call it on the event loop.
  init?(_ bytes: [UInt8], now: ContinuousClock.Instant) {
    guard bytes.count > WireLimits.body else { return nil }
    var blob = BlobRef()
    blob.sha256 = Hex.encode(SHA256.digest(bytes))
    blob.size = UInt64(bytes.count)
    self.blob = blob
    self.bytes = bytes
    self.backoff = RetryBackoff(now)
  }

  /// When ``again(now:)`` is due; nil if it is done.
  var retryAt: ContinuousClock.Instant? { self.isDone ? nil : self.backoff.end }

  /// The chunks that may be sent now.
  mutating func next() -> [(Chunk, [UInt8])] {
    var chunks: [(Chunk, [UInt8])] = []
    while !self.isDone, !self.isHeldBack, self.sent < self.bytes.count, self.sent - self.taken < Self.window {
      let end = min(self.bytes.count, self.sent + WireLimits.attachment)
      var chunk = Chunk()
      chunk.sha256 = self.blob.sha256
      chunk.offset = UInt64(self.sent)
      chunk.eof = end == self.bytes.count
      chunk.size = UInt64(self.bytes.count)
      chunks.append((chunk, Array(self.bytes[self.sent..<end])))
      self.sent = end
    }
    return chunks
  }

  mutating func take(_ ack: ChunkAck, now: ContinuousClock.Instant) {
    guard ack.status.reason != "BLOB_MISSING" else { return self.beginAgain(now) }
    guard !self.isDone else { return }
    self.backoff.hear(now)
    let next = Int(clamping: ack.nextOffset)
    if ack.status.code == .ok {
      self.isDone = ack.done
      guard next > self.taken else { return }
      self.taken = next
      self.sent = max(self.sent, next)
      self.rewoundTo = nil
    } else if ack.status.reason == "OFFSET_GAP" {
      // The hub answers each chunk after a missing one like this; only the first answer counts.
      if self.rewoundTo != next { self.rewind(to: next) }
    } else if ack.status.retryAfterMs > 0 {
      self.rewind(to: next)
      self.isHeldBack = true
      self.backoff.pause(.milliseconds(Int64(ack.status.retryAfterMs)), now)
    } else {
      self.refusal = Failure(status: ack.status)
    }
  }

  /// Sends again what the hub has not acknowledged.
  mutating func again(now: ContinuousClock.Instant) {
    self.backoff.again(now)
    self.isHeldBack = false
    self.rewind(to: self.taken)
  }

  /// Starts over because a restarted hub lost the body. The hub says so for each message that names the body.
  private mutating func beginAgain(_ now: ContinuousClock.Instant) {
    guard self.isDone else { return }
    self.isDone = false
    self.backoff = RetryBackoff(now)
    self.rewind(to: 0)
  }

  private mutating func rewind(to offset: Int) {
    self.taken = offset
    self.sent = offset
    self.rewoundTo = offset
  }
}

/// The wait of a transfer for a sign of life before it resends.
///
/// A pure value. Resending competes with the reply on a slow link, so each timeout doubles the next, up to a bound, for
/// the rest of the transfer.
struct RetryBackoff: Sendable {
  private static let longest = Duration.seconds(24)

  private var span = Duration.seconds(3)
  private var isAskedFor = false
  /// When the wait ends.
  private(set) var end: ContinuousClock.Instant

  init(_ now: ContinuousClock.Instant) { self.end = now + self.span }

  /// Records a sign of life.
  mutating func hear(_ now: ContinuousClock.Instant) { self.end = max(self.end, now + self.span) }

  /// Records a pause that the other side requested. It does not count as a timeout.
  mutating func pause(_ pause: Duration, _ now: ContinuousClock.Instant) {
    self.isAskedFor = true
    self.end = now + pause
  }

  /// Records a resend.
  mutating func again(_ now: ContinuousClock.Instant) {
    if !self.isAskedFor, self.end <= now { self.span = min(self.span * 2, Self.longest) }
    self.isAskedFor = false
    self.end = now + self.span
  }
}
