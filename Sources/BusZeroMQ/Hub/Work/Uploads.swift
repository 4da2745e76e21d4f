internal import Bus
internal import Digest
internal import KithMessages

/// Bodies larger than a frame, which workers send in chunks.
///
/// A worker names a body by its digest and sends it from the start; a PARTIAL or FINAL then refers to it. The bodies are
/// kept in memory, within limits, until the transaction that needs them. Time is passed in; this type does no I/O.
struct Uploads: ~Copyable {
  typealias Instant = ContinuousClock.Instant

  /// The limits.
  struct Limits: Sendable {
    var bytesPerBlob = 16 << 20
    var bytes = 64 << 20
    var bodies = 256
  }

  private struct Key: Hashable {
    let peer: [UInt8]
    let sha256: String
  }

  /// A class, because a digest in progress cannot be copied.
  private final class Body {
    var bytes: [UInt8] = []
    /// The digest of the received bytes, updated for each chunk: many MiB at once would block the event loop.
    var digest = SHA256()
    var isWhole = false
    var touchedAt: Instant

    init(_ now: Instant) { self.touchedAt = now }
  }

  private let limits: Limits
  private var bodies: [Key: Body] = [:]
  /// The bytes of all bodies.
  private(set) var bytes = 0

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Adds a chunk. The answer names the next offset, or the error.
  mutating func add(_ chunk: Chunk, _ data: [UInt8], from peer: [UInt8], now: Instant) -> ChunkAck {
    let key = Key(peer: peer, sha256: chunk.sha256)
    let body = self.bodies[key] ?? Body(now)
    body.touchedAt = now
    var ack = ChunkAck()
    ack.sha256 = chunk.sha256
    ack.nextOffset = UInt64(body.bytes.count)
    ack.done = body.isWhole
    // A repeated chunk changes nothing.
    guard !body.isWhole, chunk.offset >= ack.nextOffset else { return ack }
    guard chunk.offset == ack.nextOffset else {
      ack.status = Failure(.outOfRange, "OFFSET_GAP", "The chunk does not follow the one before.").status
      return ack
    }
    do throws(Failure) {
      try self.check(chunk, data, behind: body)
      body.bytes += data
      body.digest.update(data)
      self.bodies[key] = body
      self.bytes += data.count
      if chunk.eof {
        let digest = exchange(&body.digest, with: SHA256()).finish()
        guard Hex.encode(digest) == chunk.sha256 else {
          throw Failure(.dataLoss, "DIGEST_MISMATCH", "The bytes are not those that were named.")
        }
        body.isWhole = true
      }
      ack.nextOffset = UInt64(body.bytes.count)
      ack.done = body.isWhole
    } catch {
      _ = self.remove(key)
      ack.nextOffset = 0
      ack.status = error.status
    }
    return ack
  }

  /// Checks the limits. An error without a retry time is final.
  private func check(_ chunk: Chunk, _ data: [UInt8], behind body: Body) throws(Failure) {
    guard SHA256.bytes(named: chunk.sha256) != nil else { throw .invalid(field: "sha256", SHA256.rule) }
    let size = max(chunk.size, UInt64(body.bytes.count + data.count))
    guard size <= UInt64(self.limits.bytesPerBlob) else {
      throw Failure(
        .invalidArgument, "BODY_TOO_LARGE",
        "A body of \(size) bytes is too large; at most \(self.limits.bytesPerBlob) may come in chunks.")
    }
    let others = self.bodies.count - (body.bytes.isEmpty ? 0 : 1)
    guard self.bytes + data.count <= self.limits.bytes, others < self.limits.bodies else {
      throw Failure(
        .resourceExhausted, "BLOB_QUOTA", "Too many large bodies are in transit. Try again in a moment.",
        retryAfterMilliseconds: 5000)
    }
  }

  /// Removes and returns a complete body, for the message that refers to it.
  mutating func take(_ sha256: String, from peer: [UInt8]) -> [UInt8]? {
    let key = Key(peer: peer, sha256: sha256)
    return self.bodies[key]?.isWhole == true ? self.remove(key) : nil
  }

  /// Removes the bodies of a disconnected worker.
  mutating func drop(peer: [UInt8]) {
    for key in self.bodies.keys where key.peer == peer { _ = self.remove(key) }
  }

  /// Removes bodies without new chunks since `moment`: their jobs were given up.
  mutating func drop(untouchedSince moment: Instant) {
    for (key, body) in self.bodies where body.touchedAt <= moment { _ = self.remove(key) }
  }

  private mutating func remove(_ key: Key) -> [UInt8]? {
    guard let body = self.bodies.removeValue(forKey: key) else { return nil }
    self.bytes -= body.bytes.count
    return body.bytes
  }
}
