/// Encodes D-Bus values: each is aligned to its size, counted from the first byte.
struct BusWriter: Sendable, Hashable {
  /// The bytes so far.
  private(set) var bytes: [UInt8] = []

  /// `l` or `B`: the byte order of this machine.
  static let byteOrder = UInt8(ascii: 1.littleEndian == 1 ? "l" : "B")

  mutating func align(_ size: Int) { while !self.bytes.count.isMultiple(of: size) { self.bytes.append(0) } }

  mutating func byte(_ byte: UInt8) { self.bytes.append(byte) }

  mutating func append(_ other: BusWriter) { self.bytes += other.bytes }

  mutating func number(_ number: UInt32) {
    self.align(4)
    let order = UInt32(1).littleEndian == 1 ? [0, 8, 16, 24] : [24, 16, 8, 0]
    self.bytes += order.map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  /// Writes a text or an object path without its zero bytes, which would end it.
  mutating func string(_ text: String) {
    let utf8 = text.utf8.filter { $0 != 0 }
    self.number(UInt32(utf8.count))
    self.bytes += utf8 + [0]
  }

  mutating func signature(_ types: String) {
    self.bytes.append(UInt8(types.utf8.count))
    self.bytes += Array(types.utf8) + [0]
  }

  /// Writes a header field: its number, the type of its value, and its value.
  mutating func field(_ number: UInt8, _ type: String, _ text: String) {
    self.align(8)
    self.byte(number)
    self.signature(type)
    self.string(text)
  }
}

/// Decodes what ``BusWriter`` encodes.
struct BusReader {
  private let bytes: [UInt8]
  /// The offset of the next byte.
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

  /// Reads `count` bytes and the zero after them.
  private mutating func text(_ count: Int) throws(BusMessage.Garbled) -> String {
    guard count < self.bytes.count - self.at else { throw BusMessage.Garbled() }
    defer { self.at += count + 1 }
    return String(decoding: self.bytes[self.at..<self.at + count], as: UTF8.self)
  }
}
