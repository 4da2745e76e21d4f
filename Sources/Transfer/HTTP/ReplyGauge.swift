/// Counts the body of a reply against its limits while it comes.
struct ReplyGauge: Sendable {
  /// Bytes that may come of however few on the wire: the beginning of a text compresses better than the rest.
  static let floor = 1 << 20

  private let limits: TransferLimits
  private let origin: Origin
  private var received = 0
  private var count = 0

  init(_ limits: TransferLimits, _ origin: Origin) {
    self.limits = limits
    self.origin = origin
  }

  /// Checks the size that a reply announces.
  func admit(announced size: Int) throws(TransferError) {
    guard size <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes, origin) }
  }

  /// Notes bytes on the wire.
  mutating func receive(_ size: Int) {
    received += size
  }

  /// Checks a further piece, decompressed.
  mutating func admit(_ size: Int) throws(TransferError) {
    count += size
    guard count <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes, origin) }
    guard count <= Self.floor || count / limits.compressionRatio <= received else { throw .compressionBomb(origin) }
  }
}
