/// Counts the body of a reply against its limits while it comes.
struct ReplyGauge: Sendable {
  /// Bytes on the wire that are always granted: libcurl counts a piece only after it was handed over, and the beginning
  /// of a text compresses better than the rest.
  static let floor: Int64 = 64 << 10

  private let limits: TransferLimits
  private let origin: Origin
  private(set) var count = 0

  init(_ limits: TransferLimits, _ origin: Origin) {
    self.limits = limits
    self.origin = origin
  }

  /// Checks the size that a reply announces.
  func admit(announced size: Int) throws(TransferError) {
    guard size <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes, origin) }
  }

  /// Checks a further piece.
  ///
  /// - Parameters:
  ///   - size: Of the piece, decompressed.
  ///   - received: Bytes on the wire so far.
  mutating func admit(_ size: Int, received: Int64) throws(TransferError) {
    count += size
    guard count <= limits.bodyBytes else { throw .tooLarge(limit: limits.bodyBytes, origin) }
    let granted = (received + Self.floor).multipliedReportingOverflow(by: Int64(limits.compressionRatio))
    guard granted.overflow || count <= granted.partialValue else { throw .compressionBomb(origin) }
  }
}
