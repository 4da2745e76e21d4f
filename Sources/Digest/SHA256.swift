internal import CCrypto

/// SHA-256 of a stream of bytes (FIPS 180-4), by OpenSSL.
@safe public struct SHA256: ~Copyable {
  private let context: OpaquePointer?

  /// Begins an empty digest.
  public init() {
    unsafe self.context = EVP_MD_CTX_new()
    unsafe EVP_DigestInit_ex(self.context, EVP_sha256(), nil)
  }

  deinit { unsafe EVP_MD_CTX_free(self.context) }

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe EVP_DigestUpdate(self.context, bytes.baseAddress, bytes.count)
  }

  /// Adds bytes.
  public mutating func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe self.update($0) }
  }

  /// Ends the digest: 32 bytes.
  public consuming func finish() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      unsafe EVP_DigestFinal_ex(self.context, buffer.baseAddress, nil)
      count = 32
    }
  }

  /// The digest of bytes at once: 32 bytes.
  public static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      unsafe _ = CCrypto.SHA256(
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, buffer.baseAddress)
      count = 32
    }
  }

  /// The digest of bytes at once: 32 bytes.
  public static func digest(_ bytes: [UInt8]) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { unsafe Self.digest($0) }
  }
}
