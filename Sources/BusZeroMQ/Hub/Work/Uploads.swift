internal import Bus
internal import Digest
internal import KithMessages

/// Bodies that are larger than a frame, on their way from workers in chunks.
///
/// A pure value. A worker names a body by its digest and sends it from the start; a PARTIAL or FINAL then refers to it. Bodies
/// are on their way to a transaction, so they are kept in memory, within bounds.
struct Uploads: Sendable {
  /// What is kept at most.
  struct Limits: Sendable {
    var bytesPerBlob = 16 << 20
    var bytes = 64 << 20
    var bodies = 256
  }

  private struct Key: Hashable {
    let peer: [UInt8]
    let sha256: String
  }

  private let limits: Limits
  private var parts: [Key: [UInt8]] = [:]
  private var whole: [Key: [UInt8]] = [:]
  /// Of all that is held.
  private(set) var bytes = 0

  init(limits: Limits = Limits()) { self.limits = limits }

  /// Takes a chunk, or says why not and from where to go on.
  mutating func add(_ chunk: Chunk, _ data: [UInt8], from peer: [UInt8]) -> ChunkAck {
    let key = Key(peer: peer, sha256: chunk.sha256)
    var ack = ChunkAck()
    ack.sha256 = chunk.sha256
    if let done = self.whole[key] {
      ack.nextOffset = UInt64(done.count)
      ack.done = true
      return ack
    }
    var part = self.parts.removeValue(forKey: key) ?? []
    defer { if !ack.done, !part.isEmpty { self.parts[key] = part } }
    ack.nextOffset = UInt64(part.count)
    guard chunk.offset == ack.nextOffset else {
      ack.status = Failure(.outOfRange, "OFFSET_GAP", "The chunk does not follow the one before.").status
      return ack
    }
    guard part.count + data.count <= self.limits.bytesPerBlob, self.bytes + data.count <= self.limits.bytes,
      self.parts.count + self.whole.count < self.limits.bodies, chunk.sha256.utf8.count == 64
    else {
      self.bytes -= part.count
      part = []
      ack.nextOffset = 0
      ack.status =
        Failure(
          .resourceExhausted, "BLOB_QUOTA", "The body is too large, or too many are under way.",
          retryAfterMilliseconds: 5000
        ).status
      return ack
    }
    part += data
    self.bytes += data.count
    ack.nextOffset = UInt64(part.count)
    guard chunk.eof else { return ack }
    guard Hex.encode(SHA256.digest(part)) == chunk.sha256 else {
      self.bytes -= part.count
      part = []
      ack.nextOffset = 0
      ack.status = Failure(.dataLoss, "DIGEST_MISMATCH", "The bytes are not those that were named.").status
      return ack
    }
    self.whole[key] = part
    ack.done = true
    return ack
  }

  /// A body that has arrived whole.
  func body(_ sha256: String, from peer: [UInt8]) -> [UInt8]? { self.whole[Key(peer: peer, sha256: sha256)] }

  /// A body that was used, or whose job is over.
  mutating func drop(_ sha256: String, from peer: [UInt8]) {
    let key = Key(peer: peer, sha256: sha256)
    self.bytes -= (self.whole.removeValue(forKey: key)?.count ?? 0) + (self.parts.removeValue(forKey: key)?.count ?? 0)
  }

  /// Everything of a worker that is gone.
  mutating func drop(peer: [UInt8]) {
    for key in Set(self.whole.keys).union(self.parts.keys) where key.peer == peer { self.drop(key.sha256, from: peer) }
  }
}
