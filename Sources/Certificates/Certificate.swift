public import Bus
internal import CCertificates
internal import Digest
internal import KithMessages

/// A certificate with its private key, as a server presents it.
///
/// ```swift
/// let served = try ServedCertificate(chainPEM: chain, keyPEM: key, from: "/etc/kith/cert.pem")
/// let days = (served.expires - WallClock.nanoseconds()) / 86_400_000_000_000
/// ```
public struct ServedCertificate: Sendable, Hashable {
  /// The certificate and those of its authorities, as PEM, each signed by the next one.
  public let chainPEM: [UInt8]
  /// The private key, as PEM.
  public let keyPEM: [UInt8]
  /// The first and last moment at which clients accept it, in nanoseconds since 1970.
  public let begins: Int64
  /// See ``begins``.
  public let expires: Int64
  /// Counts the certificates that a store has served, from 1.
  public package(set) var generation = 1

  /// Checks a certificate and its key. An expired certificate is accepted, because it is better than none: a store reports it.
  ///
  /// - Parameter path: The file, for errors.
  /// - Throws: `FAILED_PRECONDITION/CERTIFICATE_UNUSABLE`.
  public init(chainPEM: [UInt8], keyPEM: [UInt8], from path: String) throws(Failure) {
    var found = kith_certificate()
    // Both arrays outlive the call, and `found` is written whole.
    unsafe kith_read_certificate(chainPEM, chainPEM.count, keyPEM, keyPEM.count, &found)
    guard found.count > 0 else { throw .unusableCertificate(path, "it has no certificate in PEM form") }
    guard found.has_key else {
      throw .unusableCertificate(path, "its key cannot be read: it has to be PEM without a password")
    }
    guard found.key_matches else {
      throw .unusableCertificate(path, "the key belongs to another certificate; the server's own has to come first")
    }
    guard found.is_in_order else {
      throw .unusableCertificate(path, "its certificates are not in order: each has to be signed by the one below it")
    }
    self.chainPEM = chainPEM
    self.keyPEM = keyPEM
    self.begins = found.from * 1_000_000_000
    self.expires = found.until * 1_000_000_000
  }

  /// Whether it is valid for a host name or an address.
  public func names(_ host: String) -> Bool {
    // The array and the string outlive the call.
    unsafe kith_certificate_names(self.chainPEM, self.chainPEM.count, host)
  }

  /// The first certificate as DER.
  public var der: [UInt8] { Self.der(of: self.chainPEM) }

  /// Whether the first certificate of `leaf` is signed by the first one of `authority`.
  static func isSigned(_ leaf: [UInt8], by authority: [UInt8]) -> Bool {
    var found = kith_certificate()
    let chain = leaf + authority
    // The array outlives the call, and `found` is written whole.
    unsafe kith_read_certificate(chain, chain.count, [], 0, &found)
    return found.count == 2 && found.is_in_order
  }

  static func der(of chain: [UInt8]) -> [UInt8] {
    // The array outlives the call.
    unsafe take(kith_certificate_der(chain, chain.count))
  }
}

/// The SHA-256 of a certificate, for people to compare: pairs of hex digits with colons, as browsers and phones show it.
public func fingerprint(ofDER der: [UInt8]) -> String {
  SHA256.digest(der).map { Hex.encode([$0]).uppercased() }.joined(separator: ":")
}

/// Copies bytes that a C function made, and frees them.
func take(_ bytes: kith_bytes) -> [UInt8] {
  defer { unsafe kith_free(bytes) }
  // `start` has `count` bytes, or is nil.
  return unsafe Array(UnsafeBufferPointer(start: bytes.start, count: bytes.count))
}

extension Failure {
  static func unusableCertificate(_ path: String, _ why: String) -> Failure {
    Failure(.failedPrecondition, "CERTIFICATE_UNUSABLE", "The certificate \(path) cannot be used: \(why).")
  }
}
