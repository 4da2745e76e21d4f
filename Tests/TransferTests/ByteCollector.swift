import EventLoop

/// A sink that collects all bytes.
final class ByteCollector: Sendable {
  private let bytes = Lock<[UInt8]>([])

  var count: Int { bytes.withLock { $0.count } }
  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

  @Sendable func take(_ piece: RawSpan) {
    bytes.withLock { bytes in piece.withUnsafeBytes { bytes.append(contentsOf: $0) } }
  }
}
