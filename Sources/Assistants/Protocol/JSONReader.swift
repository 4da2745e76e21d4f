/// Reads a JSON value from bytes.
struct JSONReader {
  /// The deepest nesting of objects and lists.
  static let deepest = 32

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// One value, with nothing after it.
  mutating func whole() throws(JSON.SyntaxError) -> JSON {
    let value = try self.value(depth: 0)
    self.skipBlanks()
    guard self.position == self.bytes.count else { throw self.error("something follows the value") }
    return value
  }

  private mutating func value(depth: Int) throws(JSON.SyntaxError) -> JSON {
    guard depth <= Self.deepest else { throw self.error("it is nested more than \(Self.deepest) levels deep") }
    self.skipBlanks()
    guard let first = self.peek else { throw self.error("it ends too early") }
    switch first {
    case UInt8(ascii: "{"): return try self.object(depth: depth)
    case UInt8(ascii: "["): return try self.list(depth: depth)
    case UInt8(ascii: "\""): return .text(try self.text())
    case UInt8(ascii: "t"): return try self.word("true", .flag(true))
    case UInt8(ascii: "f"): return try self.word("false", .flag(false))
    case UInt8(ascii: "n"): return try self.word("null", .null)
    default: return .number(try self.number())
    }
  }

  private mutating func object(depth: Int) throws(JSON.SyntaxError) -> JSON {
    var members: [JSON.Member] = []
    var names: Set<String> = []
    self.position += 1
    guard !self.takes("}") else { return .object([]) }
    repeat {
      self.skipBlanks()
      guard self.peek == UInt8(ascii: "\"") else { throw self.error("a name is missing") }
      let name = try self.text()
      guard names.insert(name).inserted else { throw self.error("a name stands twice in one object") }
      guard self.takes(":") else { throw self.error("a colon is missing") }
      members.append(JSON.Member(name: name, value: try self.value(depth: depth + 1)))
    } while self.takes(",")
    guard self.takes("}") else { throw self.error("an object does not end") }
    return .object(members)
  }

  private mutating func list(depth: Int) throws(JSON.SyntaxError) -> JSON {
    var entries: [JSON] = []
    self.position += 1
    guard !self.takes("]") else { return .list([]) }
    repeat { entries.append(try self.value(depth: depth + 1)) } while self.takes(",")
    guard self.takes("]") else { throw self.error("a list does not end") }
    return .list(entries)
  }

  private mutating func word(_ word: String, _ value: JSON) throws(JSON.SyntaxError) -> JSON {
    guard self.bytes[self.position...].starts(with: word.utf8) else { throw self.error("an unknown word") }
    self.position += word.utf8.count
    return value
  }

  private mutating func number() throws(JSON.SyntaxError) -> String {
    let start = self.position
    _ = self.skip(UInt8(ascii: "-"))
    let whole = self.digits()
    guard whole > 0, whole == 1 || self.bytes[self.position - whole] != UInt8(ascii: "0") else {
      throw self.error("it is no value")
    }
    if self.skip(UInt8(ascii: ".")), self.digits() == 0 { throw self.error("a number without digits after its point") }
    if self.skip(UInt8(ascii: "e")) || self.skip(UInt8(ascii: "E")) {
      if !self.skip(UInt8(ascii: "+")) { _ = self.skip(UInt8(ascii: "-")) }
      guard self.digits() > 0 else { throw self.error("a number without digits in its exponent") }
    }
    return String(decoding: self.bytes[start..<self.position], as: UTF8.self)
  }

  /// Takes a text with its quotation marks.
  private mutating func text() throws(JSON.SyntaxError) -> String {
    var found: [UInt8] = []
    self.position += 1
    while let byte = self.peek {
      self.position += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: found, as: UTF8.self) else { throw self.error("a text that is not UTF-8") }
        return text
      case UInt8(ascii: "\\"): found += try self.escape()
      case 0..<0x20: throw self.error("a control character in a text")
      default: found.append(byte)
      }
    }
    throw self.error("a text does not end")
  }

  private mutating func escape() throws(JSON.SyntaxError) -> [UInt8] {
    guard let byte = self.peek else { throw self.error("a text does not end") }
    self.position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      var units = [try self.unit()]
      if (0xD800...0xDBFF).contains(units[0]), self.bytes[self.position...].starts(with: "\\u".utf8) {
        self.position += 2
        units.append(try self.unit())
      }
      guard let text = String(validating: units, as: UTF16.self) else { throw self.error("half of a character") }
      return Array(text.utf8)
    default: throw self.error("an unknown escape")
    }
  }

  /// Four hex digits.
  private mutating func unit() throws(JSON.SyntaxError) -> UInt16 {
    let digits = self.bytes[self.position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw self.error("an escape without four hex digits") }
    self.position += 4
    return unit
  }

  // MARK: - Bytes

  private var peek: UInt8? { self.position < self.bytes.count ? self.bytes[self.position] : nil }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard self.peek == byte else { return false }
    self.position += 1
    return true
  }

  private mutating func takes(_ mark: Unicode.Scalar) -> Bool {
    self.skipBlanks()
    return self.skip(UInt8(ascii: mark))
  }

  private mutating func skipBlanks() {
    while let byte = self.peek, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { self.position += 1 }
  }

  private mutating func digits() -> Int {
    let start = self.position
    while let byte = self.peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { self.position += 1 }
    return self.position - start
  }

  private func error(_ what: String) -> JSON.SyntaxError { .init(what: "\(what), at byte \(self.position)") }
}
