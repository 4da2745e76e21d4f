/// Converts UTF-16 that arrives in pieces to UTF-8.
struct UTF16Transcoder {
  private let isBigEndian: Bool
  private var pendingByte: UInt8?
  private var pendingHigh: UInt16?

  /// Examines the first bytes of an input; nil if it is not UTF-16.
  ///
  /// UTF-16 is recognised by a byte order mark, or, as vCards start with an ASCII character, by one zero among the
  /// first two bytes.
  init?(startOf bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(2))
    guard head.count == 2 else { return nil }
    switch (head[0], head[1]) {
    case (0xFE, 0xFF): isBigEndian = true
    case (0xFF, 0xFE): isBigEndian = false
    case (0, 1..<0x80): isBigEndian = true
    case (1..<0x80, 0): isBigEndian = false
    default: return nil
    }
  }

  /// Appends the UTF-8 of `bytes` to `output`. Byte order marks are omitted, lone surrogates become U+FFFD.
  mutating func append(_ bytes: some Sequence<UInt8>, to output: inout [UInt8]) {
    for byte in bytes {
      guard let first = pendingByte else {
        pendingByte = byte
        continue
      }
      pendingByte = nil
      append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first), to: &output)
    }
  }

  /// Ends the input; an incomplete character becomes U+FFFD.
  mutating func finish(to output: inout [UInt8]) {
    if pendingByte != nil || pendingHigh != nil { Self.append("\u{FFFD}", to: &output) }
    (pendingByte, pendingHigh) = (nil, nil)
  }

  private mutating func append(_ unit: UInt16, to output: inout [UInt8]) {
    if let high = pendingHigh {
      pendingHigh = nil
      if UTF16.isTrailSurrogate(unit) {
        let value = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
        return Self.append(Unicode.Scalar(value) ?? "\u{FFFD}", to: &output)
      }
      Self.append("\u{FFFD}", to: &output)
    }
    if UTF16.isLeadSurrogate(unit) {
      pendingHigh = unit
    } else if unit != 0xFEFF {
      Self.append(Unicode.Scalar(unit) ?? "\u{FFFD}", to: &output)
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
    output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}
