internal import Bus
internal import Digest
internal import KithMessages

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
