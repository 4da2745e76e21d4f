/// Quoted-printable (RFC 2045 6.7), as vCard 2.1 uses it.
enum QuotedPrintable {
  /// Decodes a value with its soft line breaks.
  ///
  /// A blank after a soft break is text, unless the break splits a character: then the program has folded the lines as
  /// well. Anything that is not an escape stays.
  static func decode(_ bytes: [UInt8], in range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
      let byte = bytes[index]
      index += 1
      if byte.isLineBreak {
        index = skipBreak(bytes, from: index, to: end)
        if index < end, bytes[index].isBlank { index += 1 }
      } else if byte != ASCII.equals {
        result.append(byte)
      } else if let octet = octet(bytes, at: index, before: end) {
        result.append(octet)
        index += 2
      } else if index < end, bytes[index].isLineBreak {
        index = skipBreak(bytes, from: index, to: end)
        if index + 1 < end, bytes[index].isBlank, bytes[index + 1] == ASCII.equals,
          let next = octet(bytes, at: index + 2, before: end), 0x80..<0xC0 ~= next
        {
          index += 1
        }
      } else if index < end {
        result.append(byte)
      }
    }
    return result
  }

  /// The byte of two hexadecimal digits.
  private static func octet(_ bytes: [UInt8], at index: Int, before end: Int) -> UInt8? {
    guard index + 1 < end, let high = bytes[index].hexadecimalValue, let low = bytes[index + 1].hexadecimalValue
    else { return nil }
    return high << 4 | low
  }

  private static func skipBreak(_ bytes: [UInt8], from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, bytes[index].isLineBreak { index += 1 }
    return index
  }
}
