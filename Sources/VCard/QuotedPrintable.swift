/// Quoted-printable (RFC 2045 6.7), as vCard 2.1 uses it.
enum QuotedPrintable {
  /// The decoded bytes of a value with its soft line breaks.
  ///
  /// A blank after a soft break is the fold of a program that folds as well, and is left out. What is not an escape stays.
  static func decode(_ bytes: [UInt8], in range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    let end = range.upperBound
    while index < end {
      let byte = bytes[index]
      index += 1
      if byte.isLineBreak {
        index = skipFold(bytes, from: index, to: end)
      } else if byte != ASCII.equals {
        result.append(byte)
      } else if index + 1 < end, let high = bytes[index].hexadecimalValue,
        let low = bytes[index + 1].hexadecimalValue
      {
        result.append(high << 4 | low)
        index += 2
      } else if index == end {
        break
      } else if bytes[index].isLineBreak {
        index = skipFold(bytes, from: index, to: end)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static func skipFold(_ bytes: [UInt8], from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, bytes[index].isLineBreak { index += 1 }
    if index < end, bytes[index].isBlank { index += 1 }
    return index
  }
}
