internal import EventLoop
internal import Glibc

/// A UUID of version 7 (RFC 9562, 5.7). UUIDs sort by their creation time, also within a millisecond (6.2, method 3).
///
/// ```swift
/// let id = UUIDv7.make().text  // "01997a3c-5f3a-7c1e-8a55-0c9f1b6d2e40"
/// ```
public struct UUIDv7: Sendable, Hashable {
  /// The first eight bytes, most significant first: time, version, fraction of the millisecond.
  private let high: UInt64
  /// The last eight bytes: variant and random bits.
  private let low: UInt64

  /// Makes a UUID.
  ///
  /// - Parameter milliseconds: Since 1970; nil = now.
  public static func make(milliseconds: UInt64? = nil) -> UUIDv7 {
    let now = UInt64(max(0, WallClock.nanoseconds()))
    let moment = milliseconds ?? now / 1_000_000
    // Twelve bits, in units of 244 nanoseconds.
    let fraction = (now % 1_000_000) * 4096 / 1_000_000
    let random = Self.pool.withLock { $0.next() }
    return UUIDv7(high: moment << 16 | 0x7000 | fraction, low: 0x80 << 56 | random >> 2)
  }

  /// Whether text has the form of an id, so that no search is needed: 36 characters in groups (RFC 9562, 4).
  public static func isID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }

  /// The text form with hyphens, in lower case.
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

/// Random numbers of the system, fetched many at a time, because the system call takes longer than the rest of an id.
struct RandomPool: Sendable {
  private var numbers: [UInt64] = []

  /// Returns the next number. No number is returned twice.
  mutating func next() -> UInt64 {
    if self.numbers.isEmpty { self.fill() }
    if let number = self.numbers.popLast() { return number }
    // Without getentropy Swift uses another source.
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  private mutating func fill() {
    var fresh = [UInt64](repeating: 0, count: Self.capacity)
    // The buffer has `count` bytes. After a failure it is not used.
    let result = unsafe fresh.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress, $0.count) }
    if result == 0 { self.numbers = fresh }
  }

  /// 256 bytes, the limit of getentropy(3).
  private static let capacity = 256 / MemoryLayout<UInt64>.size
}
