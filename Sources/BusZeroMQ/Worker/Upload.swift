internal import Bus
internal import Digest
internal import KithMessages

/// One body on its way to the hub, where it is larger than a frame. A pure value.
struct Upload: Sendable {
  private static let window = 4 * WireLimits.attachment
  private static let patience = Duration.seconds(3)

  /// Its digest and size.
  let blob: BlobRef
  let bytes: [UInt8]
  private var sent = 0
  private var taken = 0
  private(set) var isDone = false
  private(set) var retryAt: ContinuousClock.Instant

  init(_ bytes: [UInt8], now: ContinuousClock.Instant) {
    var blob = BlobRef()
    blob.sha256 = Hex.encode(SHA256.digest(bytes))
    blob.size = UInt64(bytes.count)
    self.blob = blob
    self.bytes = bytes
    self.retryAt = now + Self.patience
  }

  /// The chunks that may be sent now.
  mutating func next() -> [(Chunk, [UInt8])] {
    var chunks: [(Chunk, [UInt8])] = []
    while !self.isDone, self.sent < self.bytes.count, self.sent - self.taken < Self.window {
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
    self.isDone = ack.done
    self.retryAt = now + Self.patience
    guard ack.status.code != .ok else {
      self.taken = max(self.taken, Int(clamping: ack.nextOffset))
      return
    }
    self.taken = Int(clamping: ack.nextOffset)
    // Of several chunks that did not fit, the first answer says where to go on.
    self.sent = ack.status.retryAfterMs > 0 ? self.bytes.count : self.taken
  }

  /// Begins again from where the hub is, or from the start.
  mutating func again(fromStart: Bool, now: ContinuousClock.Instant) {
    if fromStart { self.taken = 0 }
    self.isDone = false
    self.sent = self.taken
    self.retryAt = now + Self.patience
  }
}
