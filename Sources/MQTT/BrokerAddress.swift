public import Bus

/// Where an MQTT broker is: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` with TLS.
///
/// ```swift
/// let address = try BrokerAddress("mqtts://broker.home.arpa")
/// print(address.port)  // 8883
/// ```
public struct BrokerAddress: Sendable, Hashable {
  /// A name, or an address without brackets.
  public let host: String
  /// 1883, or 8883 with TLS, unless it is given.
  public let port: Int
  /// Whether the connection is encrypted, and the broker's certificate checked.
  public let isTLS: Bool

  /// Reads an address.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming the field `broker`.
  public init(_ text: String) throws(Failure) {
    let wrong = Failure.invalid(field: "broker", "has to be mqtt://HOST, mqtts://HOST, or one of them with :PORT.")
    guard let (scheme, rest) = text.divided(by: "://"), scheme == "mqtt" || scheme == "mqtts" else { throw wrong }
    self.isTLS = scheme == "mqtts"
    var host = rest
    var port = self.isTLS ? 8883 : 1883
    // An address of IPv6 has colons of its own, and stands in brackets.
    let end = rest.lastIndex(of: "]") ?? rest.startIndex
    if let colon = rest[end...].lastIndex(of: ":") {
      guard let number = Int(rest[rest.index(after: colon)...]), (1...65535).contains(number) else { throw wrong }
      (host, port) = (String(rest[..<colon]), number)
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty, host.utf8.count <= 253, !host.contains(where: { "/@?# ".contains($0) }) else { throw wrong }
    (self.host, self.port) = (host, port)
  }
}

extension String {
  /// What is before and after the first occurrence of a text; nil if it does not occur.
  fileprivate func divided(by separator: String) -> (before: String, after: String)? {
    let parts = self.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
  }
}
