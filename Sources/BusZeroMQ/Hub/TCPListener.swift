public import ZeroMQ

/// An address and port at which a plane is served, always with CURVE.
public struct TCPListener: Sendable, Hashable {
  /// An address of this machine, IPv4 or IPv6, or `*` for all of IPv4.
  public let address: String
  /// The port; 0 = whichever is free.
  public let port: UInt16
  /// The server's pair of keys there.
  public let keys: CurveKeyPair

  /// Makes a listener; nothing is bound.
  public init(address: String, port: UInt16, keys: CurveKeyPair) {
    self.address = address
    self.port = port
    self.keys = keys
  }

  /// Whether the address is one of IPv6.
  var isIPv6: Bool { self.address.contains(":") }

  /// The endpoint as libzmq spells it.
  public var endpoint: String {
    "tcp://\(self.isIPv6 ? "[\(self.address)]" : self.address):\(self.port == 0 ? "*" : "\(self.port)")"
  }
}
