internal import Digest

/// The short name of a public key, which people compare: the first 16 hex digits of the SHA-256 of its 32 bytes.
public enum KeyFingerprint {
  /// The fingerprint of the bytes of a public key.
  public static func of(_ publicKey: [UInt8]) -> String { Hex.encode(SHA256.digest(publicKey).prefix(8)) }
}
