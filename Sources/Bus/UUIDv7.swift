/// A UUID of version 7 (RFC 9562, 5.7): sorts by the time it was made.
public struct UUIDv7: Sendable, Hashable {
  /// Sixteen bytes, the most significant first.
  public let bytes: [UInt8]

  /// Makes one for a moment.
  ///
  /// - Parameter milliseconds: Since 1970; nil = now.
  public static func make(milliseconds: UInt64? = nil) -> UUIDv7 {
    let moment = milliseconds ?? WallClock.milliseconds()
    var bytes = [UInt8](repeating: 0, count: 16)
    for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: moment >> UInt64(40 - 8 * index)) }
    var random = SystemRandomNumberGenerator()
    let low = random.next()
    let high = random.next()
    for index in 6..<14 { bytes[index] = UInt8(truncatingIfNeeded: low >> UInt64(8 * (index - 6))) }
    bytes[14] = UInt8(truncatingIfNeeded: high)
    bytes[15] = UInt8(truncatingIfNeeded: high >> 8)
    bytes[6] = 0x70 | (bytes[6] & 0x0F)
    bytes[8] = 0x80 | (bytes[8] & 0x3F)
    return UUIDv7(bytes: bytes)
  }

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
