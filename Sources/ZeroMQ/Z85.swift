/// The text form of keys: four bytes in five printable characters. ZeroMQ RFC 32.
public enum Z85 {
  private static let alphabet = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)

  private static let values: [UInt8: UInt32] = Dictionary(
    uniqueKeysWithValues: alphabet.enumerated().map { ($1, UInt32($0)) })

  /// Encodes bytes whose number is a multiple of four; traps otherwise.
  public static func encode(_ bytes: [UInt8]) -> String {
    precondition(bytes.count.isMultiple(of: 4), "Z85 encodes groups of four bytes")
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 4 * 5)
    for start in stride(from: 0, to: bytes.count, by: 4) {
      let value = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      for divisor: UInt32 in [52_200_625, 614_125, 7225, 85, 1] {
        text.append(alphabet[Int(value / divisor % 85)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Decodes text; nil when its length is no multiple of five, or a group is no number of 32 bits.
  public static func decode(_ text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    guard characters.count.isMultiple(of: 5) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 5 * 4)
    for start in stride(from: 0, to: characters.count, by: 5) {
      var value: UInt64 = 0
      for character in characters[start..<start + 5] {
        guard let digit = values[character] else { return nil }
        value = value * 85 + UInt64(digit)
      }
      guard let group = UInt32(exactly: value) else { return nil }
      for shift: UInt32 in [24, 16, 8, 0] {
        bytes.append(UInt8(truncatingIfNeeded: group >> shift))
      }
    }
    return bytes
  }
}
