/// Base64 (RFC 4648 4 and 5) as cards hold it: folded, with blank lines, and with or without padding.
enum Base64 {
  private static let skipped: UInt8 = 0x40
  private static let padding: UInt8 = 0x41
  private static let foreign: UInt8 = 0xFF

  /// The six bits of each byte, or one of the classes above.
  private static let digits: [UInt8] = {
    var table = [UInt8](repeating: foreign, count: 256)
    for (value, digit) in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8.enumerated() {
      table[Int(digit)] = UInt8(value)
    }
    table[Int(UInt8(ascii: "-"))] = 62
    table[Int(UInt8(ascii: "_"))] = 63
    for blank in [ASCII.space, ASCII.tab, ASCII.carriageReturn, ASCII.lineFeed] { table[Int(blank)] = skipped }
    table[Int(ASCII.equals)] = padding
    return table
  }()

  /// For each position in a group of four digits and each byte, its bits in the three decoded bytes; `foreign` in the
  /// top byte if the byte is not a digit.
  private static let groups: [UInt32] = (0..<4).flatMap { place in
    digits.map { $0 < skipped ? UInt32($0) << UInt32(18 - 6 * place) : 0xFF00_0000 }
  }

  /// True if a byte may occur in a line of base64.
  static func isText(_ byte: UInt8) -> Bool {
    digits[Int(byte)] != foreign && byte != UInt8(ascii: "-") && byte != UInt8(ascii: "_")
  }

  /// Decodes base64; nil if `text` has a byte that is not base64, or ends within a byte.
  ///
  /// - Parameters:
  ///   - bytes: The card.
  ///   - range: The text, with its folds.
  static func decode(_ bytes: [UInt8], in range: Range<Int>) -> [UInt8]? {
    let text = bytes.span.extracting(range)
    let table = digits.span
    let quick = groups.span
    var isValid = true
    // At most `range.count` digits make at most three bytes for four of them; each write below follows four or fewer digits
    // that no earlier write used, so `count` stays under the capacity. Unchecked reads follow the test of `index + 4 <= end`.
    let result = unsafe [UInt8](unsafeUninitializedCapacity: range.count / 4 * 3 + 3) { output, count in
      var group: UInt32 = 0
      var filled = 0
      var index = 0
      let end = text.count
      while index < end {
        if filled == 0 {
          while index &+ 4 <= end {
            let group =
              unsafe quick[Int(text[unchecked: index])] | quick[256 &+ Int(text[unchecked: index &+ 1])]
              | quick[512 &+ Int(text[unchecked: index &+ 2])] | quick[768 &+ Int(text[unchecked: index &+ 3])]
            guard group < 1 << 24 else { break }
            unsafe output[count] = UInt8(truncatingIfNeeded: group &>> 16)
            unsafe output[count &+ 1] = UInt8(truncatingIfNeeded: group &>> 8)
            unsafe output[count &+ 2] = UInt8(truncatingIfNeeded: group)
            count &+= 3
            index &+= 4
          }
          guard index < end else { break }
        }
        let digit = table[Int(text[index])]
        index += 1
        if digit < skipped {
          group = group << 6 | UInt32(digit)
          filled += 1
          if filled == 4 {
            unsafe output[count] = UInt8(truncatingIfNeeded: group >> 16)
            unsafe output[count + 1] = UInt8(truncatingIfNeeded: group >> 8)
            unsafe output[count + 2] = UInt8(truncatingIfNeeded: group)
            count += 3
            (group, filled) = (0, 0)
          }
        } else if digit == padding {
          break
        } else if digit != skipped {
          isValid = false
          return
        }
      }
      switch filled {
      case 0: break
      case 2:
        unsafe output[count] = UInt8(truncatingIfNeeded: group >> 4)
        count += 1
      case 3:
        unsafe output[count] = UInt8(truncatingIfNeeded: group >> 10)
        unsafe output[count + 1] = UInt8(truncatingIfNeeded: group >> 2)
        count += 2
      default: isValid = false
      }
    }
    return isValid ? result : nil
  }

  /// Encodes `data` with padding and without line breaks.
  static func encode(_ data: [UInt8]) -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    result.reserveCapacity((data.count + 2) / 3 * 4)
    var index = 0
    while index < data.count {
      let first = UInt32(data[index])
      let second = index + 1 < data.count ? UInt32(data[index + 1]) : 0
      let third = index + 2 < data.count ? UInt32(data[index + 2]) : 0
      let group = first << 16 | second << 8 | third
      result.append(alphabet[Int(group >> 18)])
      result.append(alphabet[Int(group >> 12 & 63)])
      result.append(index + 1 < data.count ? alphabet[Int(group >> 6 & 63)] : ASCII.equals)
      result.append(index + 2 < data.count ? alphabet[Int(group & 63)] : ASCII.equals)
      index += 3
    }
    return result
  }
}
