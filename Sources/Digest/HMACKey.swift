internal import CCrypto

/// A key for HMAC-SHA-256 (RFC 2104).
public struct HMACKey: Sendable {
  private let bytes: [UInt8]

  /// Takes a key of any length; 32 bytes are as strong as the hash.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The authentication code of the parts, one after another, each preceded by its length: 32 bytes.
  public func authenticationCode(for parts: [UInt8]...) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(parts.reduce(0) { $0 + $1.count + 8 })
    for part in parts {
      unsafe withUnsafeBytes(of: UInt64(part.count).bigEndian) { unsafe message.append(contentsOf: $0) }
      message.append(contentsOf: part)
    }
    return unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      unsafe _ = HMAC(
        EVP_sha256(), self.bytes, Int32(self.bytes.count), message, message.count, buffer.baseAddress, nil)
      count = 32
    }
  }
}
