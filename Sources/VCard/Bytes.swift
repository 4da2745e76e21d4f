import Glibc

/// ASCII code points that are part of the vCard syntax.
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

  /// True if the byte may occur in a group, property or parameter name; wider than RFC 6350 3.3, since programs also
  /// write `_` and `/`.
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

  /// The first index of a CR or LF in `range`.
  func firstLineBreak(in range: Range<Int>) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let feeds = ones * UInt64(ASCII.lineFeed)
    let carriages = ones * UInt64(ASCII.carriageReturn)
    // The precondition keeps each load of eight bytes, and each single one, inside the array, which outlives the closure.
    return unsafe withUnsafeBytes { buffer in
      var index = range.lowerBound
      while index &+ 8 <= range.upperBound {
        let word = unsafe UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let feed = word ^ feeds
        let carriage = word ^ carriages
        // A byte is zero where the difference matches; the lowest such byte shows at its top bit.
        let found = ((feed &- ones) & ~feed | (carriage &- ones) & ~carriage) & (ones << 7)
        if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
        index &+= 8
      }
      while index < range.upperBound {
        if unsafe buffer[index].isLineBreak { return index }
        index &+= 1
      }
      return nil
    }
  }

  /// True if every byte in `range` is below 0x80.
  func isASCII(in range: Range<Int>) -> Bool {
    let bytes = span.extracting(range)
    var high: UInt8 = 0
    for index in bytes.indices { high |= bytes[index] }
    return high < 0x80
  }

  /// True if the bytes in `range` are `text`, ignoring case; `text` is ASCII in upper case.
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

  /// True if the bytes in two ranges are equal, ignoring case.
  func matches(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    guard left.count == right.count else { return false }
    for offset in 0..<left.count
    where self[left.lowerBound + offset].uppercasedASCII != self[right.lowerBound + offset].uppercasedASCII {
      return false
    }
    return true
  }

  /// `range` without blanks at its ends.
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
    let bytes = utf8
    // The buffer has room for all bytes of the text, which are written from its start; their number is returned.
    return unsafe String(unsafeUninitializedCapacity: bytes.count) { buffer in
      var index = 0
      for byte in bytes {
        unsafe buffer[index] = byte.uppercasedASCII
        index += 1
      }
      return index
    }
  }

  /// The text without white space at its ends.
  var trimmed: String {
    func isWhite(_ byte: UInt8) -> Bool { byte.isBlank || byte.isLineBreak }
    guard let first = utf8.first, let last = utf8.last, isWhite(first) || isWhite(last) else { return self }
    guard let start = utf8.firstIndex(where: { !isWhite($0) }), let end = utf8.lastIndex(where: { !isWhite($0) })
    else { return "" }
    return String(self[start...end])
  }
}

extension ArraySlice<UInt8> {
  /// True if `byte` is one of the bytes.
  func has(_ byte: UInt8) -> Bool {
    // The buffer is the slice's own and is searched within its count.
    unsafe withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress else { return false }
      return unsafe memchr(base, Int32(byte), buffer.count) != nil
    }
  }
}
