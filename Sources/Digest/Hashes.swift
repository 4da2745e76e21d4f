internal import CCrypto

/// SHA-256 of a stream of bytes (FIPS 180-4), by OpenSSL.
@safe public struct SHA256: ~Copyable {
  private let context: OpaquePointer?

  // Fetched once, because fetching takes longer than a short digest.
  // `unsafe` is sound: OpenSSL allows all threads to use an algorithm, and this one is never freed (EVP_MD_fetch(3)).
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  /// Starts a digest.
  public init() {
    unsafe self.context = EVP_MD_CTX_new()
    unsafe EVP_DigestInit_ex(self.context, Self.algorithm, nil)
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

  /// Finishes the digest and returns its 32 bytes.
  public consuming func finish() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      unsafe EVP_DigestFinal_ex(self.context, buffer.baseAddress, nil)
      count = 32
    }
  }

  /// Returns the digest of bytes, of 32 bytes.
  public static func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var digest = SHA256()
    unsafe digest.update(bytes)
    return digest.finish()
  }

  /// Returns the digest of bytes, of 32 bytes.
  public static func digest(_ bytes: [UInt8]) -> [UInt8] {
    unsafe bytes.withUnsafeBytes { unsafe Self.digest($0) }
  }
}

extension SHA256 {
  /// The rule for a field with a digest, for an error about it.
  public static let rule = "has to be the 64 hexadecimal digits of a SHA-256, in lower case."

  /// Parses a digest in 64 lower-case hexadecimal digits; nil for any other text.
  ///
  /// Upper case is refused, because digests are compared as text in many places.
  public static func bytes(named text: String) -> [UInt8]? {
    guard text.utf8.count == 64, let bytes = Hex.decode(text), Hex.encode(bytes) == text else { return nil }
    return bytes
  }
}

/// A key for HMAC-SHA-256 (RFC 2104).
public struct HMACKey: Sendable {
  private let inner: [UInt8]
  private let outer: [UInt8]

  /// Makes a key of any length; 32 bytes are as strong as the hash.
  public init(_ bytes: [UInt8]) {
    let key = bytes.count > Self.blockSize ? SHA256.digest(bytes) : bytes
    let padded = key + [UInt8](repeating: 0, count: Self.blockSize - key.count)
    self.inner = padded.map { $0 ^ 0x36 }
    self.outer = padded.map { $0 ^ 0x5C }
  }

  /// Returns the authentication code, of 32 bytes, of the concatenated parts, each preceded by its length.
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

  /// The block size of the hash in bytes.
  private static let blockSize = 64
}

/// MD5 (RFC 1321), by OpenSSL: only for protocols that require it, and never for security.
public enum MD5 {
  /// Returns the digest of bytes, of 16 bytes; nil if the system does not allow MD5.
  public static func digest(_ bytes: [UInt8]) -> [UInt8]? {
    var length = 0
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
      let result = unsafe bytes.withUnsafeBytes { input in
        // The buffer has the 16 bytes that MD5 writes.
        unsafe EVP_Q_digest(nil, "MD5", nil, input.baseAddress, input.count, buffer.baseAddress, &length)
      }
      count = result == 1 ? length : 0
    }
    return digest.isEmpty ? nil : digest
  }
}
