/// Where a domain says that a service is (SRV, RFC 2782).
public struct ServiceRecord: Sendable, Hashable {
  /// Lower is tried first.
  public let priority: UInt16
  /// Among equals, higher is tried first.
  public let weight: UInt16
  /// The TCP port.
  public let port: UInt16
  /// The host, in lower case, without the dot at the end.
  public let target: String

  /// Makes a record.
  public init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
    self.priority = priority
    self.weight = weight
    self.port = port
    self.target = target
  }
}
