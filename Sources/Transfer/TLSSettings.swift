/// The trusted authorities of a client, and its certificate. The server's certificate and name are always verified.
public struct TLSSettings: Hashable, Sendable {
  /// Path of a PEM file with the only authorities to trust, instead of the system's. CURLOPT_CAINFO(3).
  public var authorityFile: String?
  /// Keys, one of which the server must have besides a valid certificate; empty for any key.
  public var pins: [KeyPin]
  /// Presented to servers that request a certificate.
  public var clientCertificate: ClientCertificate?

  /// The authorities of the system, no pins, no certificate.
  public static let system = TLSSettings()

  /// Makes settings.
  public init(authorityFile: String? = nil, pins: [KeyPin] = [], clientCertificate: ClientCertificate? = nil) {
    self.authorityFile = authorityFile
    self.pins = pins
    self.clientCertificate = clientCertificate
  }

  /// The SHA-256 of a public key in its DER form, `SubjectPublicKeyInfo`. CURLOPT_PINNEDPUBLICKEY(3).
  public struct KeyPin: Hashable, Sendable {
    /// In base64, 44 characters.
    public let base64: String

    /// Reads a digest in base64, also with the prefix `sha256//`; nil if it is invalid.
    public init?(_ text: String) {
      let digits = text.hasPrefix("sha256//") ? String(text.dropFirst(8)) : text
      let isBase64 = digits.dropLast().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+/".contains($0)) }
      guard digits.utf8.count == 44, digits.hasSuffix("="), isBase64 else { return nil }
      base64 = digits
    }
  }

  /// A certificate and its key, without a passphrase.
  public struct ClientCertificate: Hashable, Sendable {
    /// Path of a PEM file with the certificate, and those between it and its authority.
    public let certificateFile: String
    /// Path of a PEM file with the key; may be the same.
    public let keyFile: String

    /// Names the files.
    public init(certificateFile: String, keyFile: String) {
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  func configure(_ easy: borrowing EasyHandle) throws(TransferError) {
    try easy.set(.verifiesPeer, true)
    try easy.set(.verifiesHost, 2)
    if let authorityFile {
      try easy.set(.authorityFile, authorityFile)
      // Otherwise libcurl would trust its default directory besides the file.
      try easy.clear(.authorityDirectory)
    }
    if !pins.isEmpty { try easy.set(.pinnedKeys, pins.map { "sha256//\($0.base64)" }.joined(separator: ";")) }
    if let clientCertificate {
      try easy.set(.certificateFile, clientCertificate.certificateFile)
      try easy.set(.keyFile, clientCertificate.keyFile)
    }
  }
}
