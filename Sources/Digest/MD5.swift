internal import CCrypto

/// MD5 (RFC 1321), by OpenSSL: for protocols that ask for it, where nothing else rests on it.
public enum MD5 {
  /// The digest of bytes: 16 bytes; nil where the system does not allow MD5.
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
