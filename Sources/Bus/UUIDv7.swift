internal import EventLoop

/// A UUID of version 7 (RFC 9562, 5.7): sorts by the time it was made, within a millisecond as well (6.2, method 3).
public struct UUIDv7: Sendable, Hashable {
  /// Sixteen bytes, the most significant first.
  public let bytes: [UInt8]

  /// Makes one for a moment.
  ///
  /// - Parameter milliseconds: Since 1970; nil = now.
  public static func make(milliseconds: UInt64? = nil) -> UUIDv7 {
    let now = UInt64(max(0, WallClock.nanoseconds()))
    let moment = milliseconds ?? now / 1_000_000
    // Twelve bits: a unit is 244 nanoseconds.
    let fraction = (now % 1_000_000) * 4096 / 1_000_000
    let random = Self.pool.withLock { $0.next() }
    var bytes = [UInt8](repeating: 0, count: 16)
    for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: moment >> UInt64(40 - 8 * index)) }
    bytes[6] = 0x70 | UInt8(truncatingIfNeeded: fraction >> 8)
    bytes[7] = UInt8(truncatingIfNeeded: fraction)
    for index in 8..<16 { bytes[index] = UInt8(truncatingIfNeeded: random >> UInt64(8 * (index - 8))) }
    bytes[8] = 0x80 | (bytes[8] & 0x3F)
    return UUIDv7(bytes: bytes)
  }

  private static let pool = Lock(RandomPool())

  /// The form with hyphens, lower case.
  public var text: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(unsafeUninitializedCapacity: 36) { buffer in
      var at = 0
      for (index, byte) in self.bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          buffer[at] = UInt8(ascii: "-")
          at += 1
        }
        buffer[at] = digits[Int(byte >> 4)]
        buffer[at + 1] = digits[Int(byte & 15)]
        at += 2
      }
      return at
    }
  }
}
