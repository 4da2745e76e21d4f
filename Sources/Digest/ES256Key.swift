internal import CCrypto

/// A private key on the curve P-256 that signs as ES256 (RFC 7518, 3.4), by OpenSSL.
///
/// ```swift
/// let key = ES256Key(pkcs8: der)
/// key?.signature(of: Array("eyJ0eXAi.eyJhdWQi".utf8))  // 64 bytes
/// ```
@safe public struct ES256Key: ~Copyable {
  /// The size of a public key: 4, x, y.
  private static let publicSize = 65

  private let key: OpaquePointer

  /// Reads a key.
  ///
  /// - Parameter pkcs8: As DER, without a password. Nil if it is no key on P-256.
  public init?(pkcs8: [UInt8]) {
    let read = unsafe pkcs8.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return unsafe d2i_AutoPrivateKey(nil, &start, bytes.count)
    }
    guard let read = unsafe read else { return nil }
    guard unsafe Self.isOnP256(read) else {
      unsafe EVP_PKEY_free(read)
      return nil
    }
    unsafe self.key = read
  }

  deinit { unsafe EVP_PKEY_free(self.key) }

  private static func isOnP256(_ key: OpaquePointer) -> Bool {
    var group = [CChar](repeating: 0, count: 32)
    var length = 0
    return unsafe EVP_PKEY_get_group_name(key, &group, group.count, &length) == 1
      && group.prefix(length).elementsEqual("prime256v1".utf8.map { CChar($0) })
  }

  /// The public key as an uncompressed point, of 65 bytes; nil if OpenSSL fails.
  public var publicKey: [UInt8]? {
    var point = [UInt8](repeating: 0, count: Self.publicSize)
    var length = 0
    let result = unsafe EVP_PKEY_get_octet_string_param(self.key, "pub", &point, point.count, &length)
    return result == 1 && length == Self.publicSize ? point : nil
  }

  /// The signature of bytes: r and s, of 64 bytes; nil if OpenSSL fails.
  public func signature(of bytes: [UInt8]) -> [UInt8]? {
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    var der = [UInt8](repeating: 0, count: 128)
    var length = der.count
    guard unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, self.key, nil) == 1,
      unsafe EVP_DigestSign(context, &der, &length, bytes, bytes.count) == 1
    else { return nil }
    return Self.raw(der.prefix(length))
  }

  /// Takes r and s out of a signature as X9.62 writes it.
  private static func raw(_ der: ArraySlice<UInt8>) -> [UInt8]? {
    let signature = unsafe der.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &start, bytes.count)
    }
    guard let signature = unsafe signature else { return nil }
    defer { unsafe ECDSA_SIG_free(signature) }
    var (r, s) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
    guard unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, 32) == 32,
      unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, 32) == 32
    else { return nil }
    return r + s
  }
}
