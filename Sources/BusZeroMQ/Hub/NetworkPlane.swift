public import KithMessages
public import ZeroMQ

/// A plane that can be served over tcp beside ipc.
///
/// A plane binds ipc first: see ``TCPBinding``.
public protocol NetworkPlane: Sendable {
  /// Its ZAP domain: `control`, `events` or `work`.
  var domain: String { get }

  /// Serves these listeners and no others. Whoever was connected over tcp is cut, also where a listener stays the same.
  ///
  /// - Parameter listeners: None = ipc alone.
  /// - Returns: What was bound, as libzmq spells it.
  /// - Throws: `ZMQError`: `addressInUse` also for a moment after the same port was given up. Nothing is bound over tcp then.
  func listen(_ listeners: [TCPListener]) async throws(ZMQError) -> [String]

  /// Who is connected, in numbers.
  var peers: PlaneStatus { get async }
}

extension NetworkPlane {
  /// Which port counted from the first one it has: 7750 for control.
  public var portOffset: UInt16 {
    switch self.domain {
    case "control": 0
    case "events": 1
    default: 2
    }
  }
}

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

/// The tcp half of a plane's socket: what it is bound to beside ipc.
///
/// libzmq copies the options of a socket when it binds (zmq_setsockopt(3)), so one socket serves ipc without a mechanism and
/// then tcp with CURVE, under a key for each port. It has no way to cut one peer; to unbind cuts all that came in by an endpoint.
struct TCPBinding: Sendable {
  /// What is bound, as libzmq spells it.
  private(set) var endpoints: [String] = []

  /// Binds these listeners in place of those before.
  ///
  /// - Parameter socket: Has bound ipc already: from here on, what it binds has CURVE.
  mutating func listen(_ listeners: [TCPListener], on socket: inout Socket) throws(ZMQError) {
    try self.close(on: &socket)
    do throws(ZMQError) {
      for listener in listeners {
        try socket.set(.curveServer, true)
        try socket.set(.curveSecretKey, listener.keys.secretKey)
        try socket.set(.ipv6, listener.isIPv6)
        try socket.bind(listener.endpoint)
        self.endpoints.append(try socket.lastEndpoint())
      }
    } catch {
      try self.close(on: &socket)
      throw error
    }
  }

  private mutating func close(on socket: inout Socket) throws(ZMQError) {
    while let endpoint = self.endpoints.last {
      try socket.unbind(endpoint)
      self.endpoints.removeLast()
    }
  }
}

extension Socket {
  /// ``TCPBinding/listen(_:on:)``, for a socket that may have been closed.
  mutating func listen(_ listeners: [TCPListener], _ binding: inout TCPBinding) throws(ZMQError) {
    try binding.listen(listeners, on: &self)
  }
}
