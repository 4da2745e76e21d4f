internal import Bus
internal import Digest
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

/// One body on its way to the hub, where it is larger than a frame. A pure value.
struct Upload: Sendable {
  private static let window = 4 * WireLimits.attachment

  /// Its digest and size.
  let blob: BlobRef
  let bytes: [UInt8]
  private var sent = 0
  private var taken = 0
  /// The offset that was gone back to, until the hub is beyond it.
  private var rewoundTo: Int?
  /// Whether the hub has no room for now.
  private var isHeldBack = false
  private var backoff: RetryBackoff
  private(set) var isDone = false
  /// Why the hub does not take it, now or later.
  private(set) var refusal: Failure?

  /// Nil for a body that fits a frame. Makes its digest, so not for the loop.
  init?(_ bytes: [UInt8], now: ContinuousClock.Instant) {
    guard bytes.count > WireLimits.body else { return nil }
    var blob = BlobRef()
    blob.sha256 = Hex.encode(SHA256.digest(bytes))
    blob.size = UInt64(bytes.count)
    self.blob = blob
    self.bytes = bytes
    self.backoff = RetryBackoff(now)
  }

  /// When ``again(now:)`` is due; nil when nothing is waited for.
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
      // Each of the chunks behind one that is missing is answered so: the first answer says where to go on.
      if self.rewoundTo != next { self.rewind(to: next) }
    } else if ack.status.retryAfterMs > 0 {
      self.rewind(to: next)
      self.isHeldBack = true
      self.backoff.pause(.milliseconds(Int64(ack.status.retryAfterMs)), now)
    } else {
      self.refusal = Failure(status: ack.status)
    }
  }

  /// Says again what the hub has not answered.
  mutating func again(now: ContinuousClock.Instant) {
    self.backoff.again(now)
    self.isHeldBack = false
    self.rewind(to: self.taken)
  }

  /// The hub was restarted and has lost it. It says so whenever the body is named, also while it is on its way again.
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

/// How long a transfer waits for a sign of the other side before it says again what it has said.
///
/// A pure value. What is late is not lost, and over a slow link what is said again stands in the way of what is waited
/// for. So a wait in vain makes the next one twice as long, up to a bound, for the rest of the transfer.
struct RetryBackoff: Sendable {
  private static let longest = Duration.seconds(24)

  private var span = Duration.seconds(3)
  private var isAskedFor = false
  /// When the wait is over.
  private(set) var end: ContinuousClock.Instant

  init(_ now: ContinuousClock.Instant) { self.end = now + self.span }

  /// The other side is there.
  mutating func hear(_ now: ContinuousClock.Instant) { self.end = max(self.end, now + self.span) }

  /// The other side has asked for a pause, which is no wait in vain.
  mutating func pause(_ pause: Duration, _ now: ContinuousClock.Instant) {
    self.isAskedFor = true
    self.end = now + pause
  }

  /// The wait is over, and what was said is said again.
  mutating func again(_ now: ContinuousClock.Instant) {
    if !self.isAskedFor, self.end <= now { self.span = min(self.span * 2, Self.longest) }
    self.isAskedFor = false
    self.end = now + self.span
  }
}
