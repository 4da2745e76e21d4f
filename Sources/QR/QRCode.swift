/// A text as a QR code (ISO/IEC 18004), for a terminal or a page: byte mode, error correction level L, versions 1 to 6.
///
/// ```swift
/// QRCode("https://kith.home.arpa/pair#12345678")?.modules.count  // 29
/// ```
///
/// Larger versions are left out: they hardly fit a terminal, and an address needs none of them.
public struct QRCode: Sendable {
  /// Of each version: bytes of data in a block, bytes of correction in a block, blocks.
  private static let versions = [(19, 7, 1), (34, 10, 1), (55, 15, 1), (80, 20, 1), (108, 26, 1), (68, 18, 2)]

  /// The rows of modules, dark ones true.
  public let modules: [[Bool]]

  /// Encodes a text; nil if it has more than 134 bytes.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    // Four bits of mode, eight of length, four of the end: two bytes.
    guard let index = Self.versions.firstIndex(where: { bytes.count + 2 <= $0.0 * $0.2 }) else { return nil }
    let (data, correction, blocks) = Self.versions[index]
    let codewords = Self.codewords(bytes, data: data, correction: correction, blocks: blocks)
    let frame = Frame(version: index + 1)
    let candidates = (0..<8).map { frame.filled(with: codewords, mask: $0) }
    // min(by:) of eight has a result.
    guard let best = candidates.min(by: { Self.penalty($0) < Self.penalty($1) }) else { return nil }
    self.modules = best
  }

  /// The code in half blocks with its quiet zone: two rows of modules in each line.
  ///
  /// With colour it is black on white. Without, light modules are printed as blocks, which is right on a dark terminal; most cameras read
  /// the inverse as well.
  public func lines(isColoured: Bool) -> [String] {
    let quiet = 4
    let size = self.modules.count
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard (0..<size).contains(row), (0..<size).contains(column) else { return true }
      return !self.modules[row][column]
    }
    return stride(from: -quiet, to: size + quiet, by: 2).map { row in
      let line = (-quiet..<size + quiet).map { column in
        switch (isLight(row, column), isLight(row + 1, column)) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
      return isColoured ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }
  }

  // MARK: - Codewords

  /// The data and its correction, interleaved block by block.
  private static func codewords(_ bytes: [UInt8], data: Int, correction: Int, blocks: Int) -> [UInt8] {
    // Mode 0100, the length, the bytes and the end 0000 are shifted by half a byte.
    var stream = [0x40 | UInt8(bytes.count >> 4)]
    var half = UInt8(bytes.count & 15)
    for byte in bytes {
      stream.append(half << 4 | byte >> 4)
      half = byte & 15
    }
    stream.append(half << 4)
    let room = data * blocks
    for index in 0..<room - stream.count { stream.append(index.isMultiple(of: 2) ? 0xEC : 0x11) }
    let parts = (0..<blocks).map { Array(stream[$0 * data..<($0 + 1) * data]) }
    let checks = parts.map { self.correction(of: $0, count: correction) }
    return (0..<data).flatMap { index in parts.map { $0[index] } }
      + (0..<correction).flatMap { index in checks.map { $0[index] } }
  }

  /// The remainder of the data by the generator polynomial, in the field of 256 elements: Reed and Solomon.
  private static func correction(of data: [UInt8], count: Int) -> [UInt8] {
    var generator: [UInt8] = [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      var next = generator + [0]
      for index in generator.indices { next[index + 1] ^= self.product(generator[index], root) }
      generator = next
      root = self.product(root, 2)
    }
    var rest = [UInt8](repeating: 0, count: count)
    for byte in data {
      let factor = byte ^ rest[0]
      rest = rest.dropFirst() + [0]
      for index in rest.indices { rest[index] ^= self.product(generator[index + 1], factor) }
    }
    return rest
  }

  /// The product modulo x⁸ + x⁴ + x³ + x² + 1.
  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var (left, right, sum) = (left, right, UInt8(0))
    while right > 0 {
      if right & 1 == 1 { sum ^= left }
      left = left << 1 ^ (left & 0x80 == 0 ? 0 : 0x1D)
      right >>= 1
    }
    return sum
  }

  // MARK: - Choice of the mask

  /// How hard a code is to read: section 7.8.3.
  private static func penalty(_ modules: [[Bool]]) -> Int {
    let size = modules.count
    let columns = (0..<size).map { column in modules.map { $0[column] } }
    var penalty = (modules + columns).reduce(0) { $0 + self.penalty(ofLine: $1) }
    for row in 0..<size - 1 {
      for column in 0..<size - 1 {
        let square = [modules[row][column + 1], modules[row + 1][column], modules[row + 1][column + 1]]
        if square.allSatisfy({ $0 == modules[row][column] }) { penalty += 3 }
      }
    }
    let dark = modules.reduce(0) { $0 + $1.count(where: \.self) }
    return penalty + abs(dark * 20 - size * size * 10) / (size * size) * 10
  }

  private static func penalty(ofLine line: [Bool]) -> Int {
    var (penalty, run) = (0, 0)
    for index in line.indices {
      run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
      penalty += run == 5 ? 3 : run > 5 ? 1 : 0
    }
    // What looks like a finder pattern beside a quiet zone.
    let finder = [true, false, true, true, true, false, true]
    let light = [Bool](repeating: false, count: 4)
    for start in 0...max(0, line.count - 11) where line.count >= 11 {
      let part = Array(line[start..<start + 11])
      if part == finder + light || part == light + finder { penalty += 40 }
    }
    return penalty
  }

  /// The fixed patterns of a version, and which modules are free for data.
  private struct Frame {
    private let size: Int
    private var modules: [[Bool]]
    private var isFixed: [[Bool]]

    init(version: Int) {
      self.size = 17 + 4 * version
      self.modules = Array(repeating: Array(repeating: false, count: self.size), count: self.size)
      self.isFixed = self.modules
      for index in 0..<self.size {
        self.fix(6, index, index.isMultiple(of: 2))
        self.fix(index, 6, index.isMultiple(of: 2))
      }
      for (row, column) in [(3, 3), (3, self.size - 4), (self.size - 4, 3)] { self.square(row, column, reach: 4) }
      if version > 1 { self.square(self.size - 7, self.size - 7, reach: 2) }
      self.format(mask: 0)
    }

    /// The modules with the data under a mask.
    func filled(with codewords: [UInt8], mask: Int) -> [[Bool]] {
      var frame = self
      frame.format(mask: mask)
      var bits = codewords.lazy.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 == 1 } }.makeIterator()
      // Two columns at a time from the right, upwards and downwards in turn, without the column of the timing pattern.
      var isUpward = true
      for right in stride(from: self.size - 1, through: 1, by: -2) {
        let right = right <= 6 ? right - 1 : right
        for step in 0..<self.size {
          let row = isUpward ? self.size - 1 - step : step
          for column in [right, right - 1] where !self.isFixed[row][column] {
            // The bits that remain behind the codewords are light.
            frame.modules[row][column] = (bits.next() ?? false) != Self.isMasked(row, column, mask)
          }
        }
        isUpward.toggle()
      }
      return frame.modules
    }

    private static func isMasked(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
      switch mask {
      case 0: (row + column).isMultiple(of: 2)
      case 1: row.isMultiple(of: 2)
      case 2: column.isMultiple(of: 3)
      case 3: (row + column).isMultiple(of: 3)
      case 4: (row / 2 + column / 3).isMultiple(of: 2)
      case 5: row * column % 2 + row * column % 3 == 0
      case 6: (row * column % 2 + row * column % 3).isMultiple(of: 2)
      default: ((row + column) % 2 + row * column % 3).isMultiple(of: 2)
      }
    }

    private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
      guard (0..<self.size).contains(row), (0..<self.size).contains(column) else { return }
      self.modules[row][column] = isDark
      self.isFixed[row][column] = true
    }

    /// A finder pattern with its light border (reach 4), or an alignment pattern (reach 2).
    private mutating func square(_ row: Int, _ column: Int, reach: Int) {
      for down in -reach...reach {
        for right in -reach...reach {
          let distance = max(abs(down), abs(right))
          self.fix(row + down, column + right, reach == 4 ? distance < 2 || distance == 3 : distance != 1)
        }
      }
    }

    /// Level and mask with their correction, twice; and the module that is always dark.
    private mutating func format(mask: Int) {
      // Level L is 01.
      let data = 1 << 3 | mask
      var rest = data << 10
      for bit in stride(from: 14, through: 10, by: -1) where rest >> bit & 1 == 1 { rest ^= 0x537 << (bit - 10) }
      let bits = (data << 10 | rest) ^ 0x5412
      for index in 0..<15 {
        let isDark = bits >> index & 1 == 1
        // Beside the finder patterns at the top left, around the timing patterns.
        let (row, column) =
          index < 8 ? (index < 6 ? index : index + 1, 8) : (8, index == 8 ? 7 : 14 - index)
        self.fix(row, column, isDark)
        if index < 8 { self.fix(8, self.size - 1 - index, isDark) } else { self.fix(self.size - 15 + index, 8, isDark) }
      }
      self.fix(self.size - 8, 8, true)
    }
  }
}
