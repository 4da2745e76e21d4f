/// Writes values as D-Bus has them: each aligned to its size, from the beginning of what is written.
struct BusWriter: Sendable, Hashable {
  /// What was written.
  private(set) var bytes: [UInt8] = []

  /// `l` or `B`, as this machine is.
  static let byteOrder = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")

  mutating func align(_ size: Int) { while !self.bytes.count.isMultiple(of: size) { self.bytes.append(0) } }

  mutating func byte(_ byte: UInt8) { self.bytes.append(byte) }

  mutating func append(_ other: BusWriter) { self.bytes += other.bytes }

  mutating func number(_ number: UInt32) {
    self.align(4)
    let order = UInt32(1).littleEndian == 1 ? [0, 8, 16, 24] : [24, 16, 8, 0]
    self.bytes += order.map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  /// A text, or the path of an object. A zero in it would end it, and is left out.
  mutating func string(_ text: String) {
    let utf8 = text.utf8.filter { $0 != 0 }
    self.number(UInt32(utf8.count))
    self.bytes += utf8 + [0]
  }

  mutating func signature(_ types: String) {
    self.bytes.append(UInt8(types.utf8.count))
    self.bytes += Array(types.utf8) + [0]
  }

  /// A field of a head: its number, and its value behind the type of it.
  mutating func field(_ number: UInt8, _ type: String, _ text: String) {
    self.align(8)
    self.byte(number)
    self.signature(type)
    self.string(text)
  }
}

/// Reads what ``BusWriter`` writes.
struct BusReader {
  private let bytes: [UInt8]
  /// How far it was read.
  private(set) var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func skip(_ count: Int) { self.at += count }

  mutating func align(_ size: Int) { self.at = (self.at + size - 1) / size * size }

  mutating func byte() throws(BusMessage.Garbled) -> UInt8 {
    guard self.at < self.bytes.count else { throw BusMessage.Garbled() }
    defer { self.at += 1 }
    return self.bytes[self.at]
  }

  mutating func number() throws(BusMessage.Garbled) -> UInt32 {
    self.align(4)
    var number: UInt32 = 0
    for index in 0..<4 {
      let byte = UInt32(try self.byte())
      number |= byte << UInt32(UInt32(1).littleEndian == 1 ? index * 8 : 24 - index * 8)
    }
    return number
  }

  mutating func string() throws(BusMessage.Garbled) -> String {
    let count = Int(try self.number())
    return try self.text(count)
  }

  mutating func signature() throws(BusMessage.Garbled) -> String {
    let count = Int(try self.byte())
    return try self.text(count)
  }

  /// So many bytes, and the zero behind them.
  private mutating func text(_ count: Int) throws(BusMessage.Garbled) -> String {
    guard count < self.bytes.count - self.at else { throw BusMessage.Garbled() }
    defer { self.at += count + 1 }
    return String(decoding: self.bytes[self.at..<self.at + count], as: UTF8.self)
  }
}
