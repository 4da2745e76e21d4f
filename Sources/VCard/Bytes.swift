import Glibc

/// ASCII code points that the vCard syntax gives a meaning.
enum ASCII {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let quote = UInt8(ascii: "\"")
  static let comma = UInt8(ascii: ",")
  static let dot = UInt8(ascii: ".")
  static let colon = UInt8(ascii: ":")
  static let semicolon = UInt8(ascii: ";")
  static let equals = UInt8(ascii: "=")
  static let caret = UInt8(ascii: "^")
  static let backslash = UInt8(ascii: "\\")
}

extension UInt8 {
  /// The letter in upper case; any other byte unchanged.
  var uppercasedASCII: UInt8 { self &- 0x61 < 26 ? self & 0xDF : self }
  var isBlank: Bool { self == ASCII.space || self == ASCII.tab }
  var isLineBreak: Bool { self == ASCII.lineFeed || self == ASCII.carriageReturn }
  var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether the byte may stand in a group, property or parameter name; wider than RFC 6350 3.3, since programs write `_` and `/` too.
  var isNameByte: Bool {
    isDigit || (self | 0x20) &- 0x61 < 26 || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
      || self == UInt8(ascii: "/")
  }

  /// The value of a hexadecimal digit.
  var hexadecimalValue: UInt8? {
    if isDigit { return self &- 0x30 }
    let letter = uppercasedASCII &- 0x41
    return letter < 6 ? letter &+ 10 : nil
  }
}

extension [UInt8] {
  /// The first index of `byte` in `range`.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    guard !range.isEmpty else { return nil }
    // The precondition keeps the searched bytes inside the array, which outlives the closure.
    return unsafe withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress,
        let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }

  /// Whether every byte in `range` is below 0x80.
  func isASCII(in range: Range<Int>) -> Bool {
    let bytes = span.extracting(range)
    var high: UInt8 = 0
    for index in bytes.indices { high |= bytes[index] }
    return high < 0x80
  }

  /// Whether the bytes in `range` are `text`, letters compared without case; `text` is ASCII in upper case.
  func matches(_ text: String, in range: Range<Int>) -> Bool {
    let text = text.utf8
    guard range.count == text.count else { return false }
    var index = range.lowerBound
    for expected in text {
      guard self[index].uppercasedASCII == expected else { return false }
      index += 1
    }
    return true
  }

  /// Whether the bytes in two ranges are the same, letters compared without case.
  func matches(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where self[left.lowerBound + offset].uppercasedASCII != self[right.lowerBound + offset].uppercasedASCII {
      return false
    }
    return true
  }

  /// `range` without the blanks at its ends.
  func trimmingBlanks(_ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, self[lower].isBlank { lower += 1 }
    while upper > lower, self[upper - 1].isBlank { upper -= 1 }
    return lower..<upper
  }
}

extension String {
  /// The text with its letters a to z in upper case.
  var uppercasedASCII: String {
    guard utf8.contains(where: { $0 &- 0x61 < 26 }) else { return self }
    return String(decoding: utf8.map(\.uppercasedASCII), as: UTF8.self)
  }

  /// The text without white space at its ends.
  var trimmed: String {
    let bytes = Array(utf8)
    func isWhite(_ byte: UInt8) -> Bool { byte.isBlank || byte.isLineBreak }
    guard let first = bytes.firstIndex(where: { !isWhite($0) }), let last = bytes.lastIndex(where: { !isWhite($0) })
    else { return "" }
    return first == 0 && last == bytes.count - 1 ? self : String(decoding: bytes[first...last], as: UTF8.self)
  }
}
