/// A mail submission server, and the protection of the connection.
public struct MailServer: Hashable, Sendable {
  /// The protection of a connection.
  public enum Security: String, Hashable, Sendable {
    /// It begins unencrypted, and only the greeting is sent before it is encrypted. RFC 3207.
    case startTLS = "starttls"
    /// It is encrypted from the start. RFC 8314.
    case tls
    /// It is not encrypted, which is allowed on this machine only.
    case none
  }

  /// Host and port.
  public let origin: Origin
  /// The protection of the connection.
  public let security: Security

  /// Names a server.
  ///
  /// - Parameters:
  ///   - host: A name or an address, IPv6 in brackets.
  ///   - port: Nil for 587, or 465 with `tls`.
  /// - Throws: `TransferError.invalidURL`; `insecure` for another machine without encryption.
  public init(host: String, port: Int? = nil, security: Security = .startTLS) throws(TransferError) {
    let name = host.lowercased()
    let isName = !name.isEmpty && name.utf8.count <= 253 && name.utf8.allSatisfy(Self.isAllowed)
    let isAddress =
      name.hasPrefix("[") && name.hasSuffix("]") && name.dropFirst().dropLast().utf8.allSatisfy(Self.isDigit)
    guard isName || isAddress else {
      throw .invalidURL("its host name is missing or has invalid characters")
    }
    let port = port ?? (security == .tls ? 465 : 587)
    guard (1...65535).contains(port) else { throw .invalidURL("its port is not a number from 1 to 65535") }
    self.origin = Origin(scheme: security == .tls ? "smtps" : "smtp", host: name, port: port)
    self.security = security
    guard security != .none || self.origin.isLoopback else { throw .insecure(self.origin) }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: ":"), UInt8(ascii: "."): true
    default: false
    }
  }
}
