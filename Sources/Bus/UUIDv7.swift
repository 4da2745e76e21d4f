internal import EventLoop

/// A UUID of version 7 (RFC 9562, 5.7): sorts by the time it was made, within a millisecond as well (6.2, method 3).
public struct UUIDv7: Sendable, Hashable {
  /// The first eight bytes, the most significant one first: moment, version, fraction of the millisecond.
  private let high: UInt64
  /// The last eight bytes: variant and chance.
  private let low: UInt64

  /// Makes one for a moment.
  ///
  /// - Parameter milliseconds: Since 1970; nil = now.
  public static func make(milliseconds: UInt64? = nil) -> UUIDv7 {
    let now = UInt64(max(0, WallClock.nanoseconds()))
    let moment = milliseconds ?? now / 1_000_000
    // Twelve bits: a unit is 244 nanoseconds.
    let fraction = (now % 1_000_000) * 4096 / 1_000_000
    let random = Self.pool.withLock { $0.next() }
    return UUIDv7(high: moment << 16 | 0x7000 | fraction, low: 0x80 << 56 | random >> 2)
  }

  /// The form with hyphens, lower case.
  public var text: String {
    String(unsafeUninitializedCapacity: 36) { buffer in
      var at = 0
      for digit in 0..<32 {
        if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          buffer[at] = UInt8(ascii: "-")
          at += 1
        }
        let half = digit < 16 ? self.high : self.low
        let value = UInt8(truncatingIfNeeded: half >> (60 - 4 * (digit % 16)) & 15)
        buffer[at] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
        at += 1
      }
      return at
    }
  }

  private static let pool = Lock(RandomPool())
}
