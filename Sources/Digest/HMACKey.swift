/// A key for HMAC-SHA-256 (RFC 2104).
public struct HMACKey: Sendable {
  private let inner: [UInt8]
  private let outer: [UInt8]

  /// Takes a key of any length; 32 bytes are as strong as the hash.
  public init(_ bytes: [UInt8]) {
    let key = bytes.count > Self.blockSize ? SHA256.digest(bytes) : bytes
    let padded = key + [UInt8](repeating: 0, count: Self.blockSize - key.count)
    self.inner = padded.map { $0 ^ 0x36 }
    self.outer = padded.map { $0 ^ 0x5C }
  }

  /// The authentication code of the parts, one after another, each preceded by its length: 32 bytes.
  public func authenticationCode(for parts: [UInt8]...) -> [UInt8] {
    var message = SHA256()
    message.update(self.inner)
    for part in parts {
      unsafe withUnsafeBytes(of: UInt64(part.count).bigEndian) { unsafe message.update($0) }
      message.update(part)
    }
    var code = SHA256()
    code.update(self.outer)
    code.update(message.finish())
    return code.finish()
  }

  /// Bytes that the hash takes in at once.
  private static let blockSize = 64
}
