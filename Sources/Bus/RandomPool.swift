internal import Glibc

/// Random numbers of the system, asked for many at a time: asking takes longer than everything else that an id needs.
struct RandomPool: Sendable {
  private var numbers: [UInt64] = []

  /// The next number; each draw is given to one caller alone.
  mutating func next() -> UInt64 {
    if self.numbers.isEmpty { self.fill() }
    if let number = self.numbers.popLast() { return number }
    // A kernel or sandbox without the call has its other ways, which Swift knows.
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  private mutating func fill() {
    var fresh = [UInt64](repeating: 0, count: Self.capacity)
    // The buffer is as long as is said. After a failure it is not used.
    let result = unsafe fresh.withUnsafeMutableBytes { unsafe getentropy($0.baseAddress, $0.count) }
    if result == 0 { self.numbers = fresh }
  }

  /// 256 bytes: what getentropy(3) gives at most.
  private static let capacity = 256 / MemoryLayout<UInt64>.size
}
