/// SHA-256 (FIPS 180-4), to compare pictures with the digests of the samples.
enum SHA256 {
  private static let primes: [Int] = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }
  private static let initial = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
  private static let constants = primes.prefix(64).map { prime -> UInt32 in cubeRootFraction(UInt64(prime)) }

  private static func fraction(_ value: Double) -> UInt32 {
    UInt32((value - value.rounded(.down)) * 4_294_967_296)
  }

  /// The first 32 bits of the fraction of the cube root, by integers, since doubles are too coarse.
  private static func cubeRootFraction(_ value: UInt64) -> UInt32 {
    var low: UInt64 = 0
    var high: UInt64 = 8 << 32
    while low + 1 < high {
      let middle = (low + high) / 2
      let square = middle.multipliedFullWidth(by: middle)
      let upper = square.high.multipliedFullWidth(by: middle)
      let lower = square.low.multipliedFullWidth(by: middle)
      let (carry, overflow) = upper.low.addingReportingOverflow(lower.high)
      let top = upper.high + (overflow ? 1 : 0)
      // value << 96 as 192 bits is (value >> 32, value << 32 in the middle, 0).
      let isSmaller = (top, carry, lower.low) <= (value >> 32, value << 32, 0)
      if isSmaller { low = middle } else { high = middle }
    }
    return UInt32(truncatingIfNeeded: low)
  }

  static func hex(_ message: [UInt8]) -> String {
    var state = Array(initial)
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = UInt64(message.count) * 8
    for shift in stride(from: 56, through: 0, by: -8) {
      padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    var words = [UInt32](repeating: 0, count: 64)
    func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }
    for block in stride(from: 0, to: padded.count, by: 64) {
      for index in 0..<16 {
        words[index] = (0..<4).reduce(0) { $0 << 8 | UInt32(padded[block + index * 4 + $1]) }
      }
      for index in 16..<64 {
        let first = words[index - 15]
        let second = words[index - 2]
        let left = rotate(first, 7) ^ rotate(first, 18) ^ first >> 3
        let right = rotate(second, 17) ^ rotate(second, 19) ^ second >> 10
        words[index] = words[index - 16] &+ left &+ words[index - 7] &+ right
      }
      var v = state
      for index in 0..<64 {
        let sum = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25)
        let choice = v[4] & v[5] ^ ~v[4] & v[6]
        let first = v[7] &+ sum &+ choice &+ constants[index] &+ words[index]
        let mix = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22)
        let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
        v = [first &+ mix &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
      }
      for index in 0..<8 { state[index] &+= v[index] }
    }
    return state.map { word in
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 8 - text.count) + text
    }.joined()
  }
}
