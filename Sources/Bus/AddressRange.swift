internal import Glibc

/// A range of addresses in CIDR notation: `192.168.1.0/24`, `fd00::/8`, or one address.
///
/// ```swift
/// AddressRange("10.0.0.0/8")?.has("10.1.2.3")  // true
/// ```
public struct AddressRange: Sendable, Hashable {
  private let bytes: [UInt8]
  private let bits: Int

  /// Reads a range; nil if the text is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let bytes = Self.bytes(of: String(parts[0])) else { return nil }
    let all = bytes.count * 8
    guard let bits = parts.count == 2 ? Int(parts[1]) : all, (0...all).contains(bits) else { return nil }
    self.bytes = bytes
    self.bits = bits
  }

  /// Whether an address is in it. An IPv4 address that is written as IPv6 (`::ffff:10.0.0.1`) counts as IPv4.
  public func has(_ address: String) -> Bool {
    guard let other = Self.bytes(of: address), other.count == self.bytes.count else { return false }
    for index in 0..<self.bytes.count {
      let rest = self.bits - index * 8
      guard rest > 0 else { break }
      let mask: UInt8 = rest >= 8 ? 0xFF : ~(0xFF >> UInt8(rest))
      guard self.bytes[index] & mask == other[index] & mask else { return false }
    }
    return true
  }

  /// The addresses of this machine itself.
  public static let loopback = ["127.0.0.0/8", "::1"].compactMap { AddressRange($0) }

  /// The bytes of an address, 4 or 16; nil for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    // A link-local address may name its interface.
    let address = String(text.prefix { $0 != "%" })
    var four = in_addr()
    if inet_pton(AF_INET, address, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var sixteen = in6_addr()
    guard inet_pton(AF_INET6, address, &sixteen) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: sixteen) { Array($0) }
    return bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) ? Array(bytes.suffix(4)) : bytes
  }
}
