/// Where a request goes: scheme, host and port. Credentials never leave it. RFC 6454.
public struct Origin: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// In lower case; an IPv6 address in brackets.
  public let host: String
  /// The port, also when it is the one that goes without saying.
  public let port: Int

  /// Whether the scheme is https.
  public var isEncrypted: Bool { scheme == "https" }

  /// Whether the host is this machine, so that nothing crosses a network. RFC 6761 section 6.3 has `localhost`.
  public var isLoopback: Bool {
    host == "localhost" || host == "[::1]" || isLoopbackAddress
  }

  private var isLoopbackAddress: Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// As it is written, without a port that goes without saying.
  public var description: String {
    port == (isEncrypted ? 443 : 80) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
  }
}
