public import Bus

/// The address of a hub on another machine.
///
/// ```swift
/// let hub = try RemoteHub("tcp://192.168.1.10")
/// print(hub.control)  // tcp://192.168.1.10:7750
/// ```
public struct RemoteHub: Sendable, Hashable {
  /// The default port of the control plane. The events plane has the next port, the work plane the one after.
  public static let standardPort: UInt16 = 7750

  /// The name or address of the machine, as given.
  public let host: String
  /// The port of the control plane.
  public let port: UInt16

  /// Parses `tcp://HOST` or `tcp://HOST:PORT`; an IPv6 address is in brackets.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  public init(_ text: String) throws(Failure) {
    let usage = "has to be tcp://HOST or tcp://HOST:PORT, such as tcp://192.168.1.10."
    guard text.hasPrefix("tcp://") else { throw .invalid(field: "hub", usage) }
    var host = text.dropFirst("tcp://".count)
    var port = Self.standardPort
    if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") {
      guard let number = UInt16(host[host.index(after: colon)...]), (1...UInt16.max - 2).contains(number) else {
        throw .invalid(field: "hub", usage)
      }
      port = number
      host = host[..<colon]
    }
    let letters = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".:-_%[]".contains($0)) }
    guard !host.isEmpty, letters, !host.contains(":") || host.hasPrefix("[") else {
      throw .invalid(field: "hub", usage)
    }
    self.host = String(host)
    self.port = port
  }

  /// The endpoint of the control plane.
  public var control: String { "tcp://\(self.host):\(self.port)" }
  /// The endpoint of the events plane.
  public var events: String { "tcp://\(self.host):\(self.port + 1)" }
  /// The endpoint of the work plane.
  public var work: String { "tcp://\(self.host):\(self.port + 2)" }
}
