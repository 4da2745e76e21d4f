public import KithMessages
public import ZeroMQ

/// A plane that can be served over tcp in addition to ipc.
///
/// A plane binds ipc first: see ``TCPBinding``.
///
/// ```swift
/// let endpoints = try await plane.listen([TCPListener(address: "192.168.1.10", port: 7750, keys: keys)])
/// ```
public protocol NetworkPlane: Sendable {
  /// Its ZAP domain: `control`, `events` or `work`.
  var domain: String { get }

  /// Serves these listeners and no others. Closes all tcp connections, also those of a listener that stays.
  ///
  /// - Parameter listeners: Empty = ipc only.
  /// - Returns: The bound endpoints as libzmq spells them.
  /// - Throws: `ZMQError`, and binds nothing over tcp; `addressInUse` also for a moment after the same port was released.
  func listen(_ listeners: [TCPListener]) async throws(ZMQError) -> [String]

  /// The numbers of connections and failed handshakes.
  var peers: PlaneStatus { get async }
}

extension NetworkPlane {
  /// The plane's port relative to the first port, 7750 for control.
  public var portOffset: UInt16 {
    switch self.domain {
    case "control": 0
    case "events": 1
    default: 2
    }
  }
}

/// An address and port at which a plane is served with CURVE.
///
/// ```swift
/// let listener = TCPListener(address: "192.168.1.10", port: 7750, keys: serverKeys)
/// let endpoints = try await plane.listen([listener])
/// ```
public struct TCPListener: Sendable, Hashable {
  /// An address of this machine, IPv4 or IPv6, or `*` for all of IPv4.
  public let address: String
  /// The port; 0 = any free port.
  public let port: UInt16
  /// The server's key pair at this port.
  public let keys: CurveKeyPair

  /// Makes a listener and binds nothing.
  public init(address: String, port: UInt16, keys: CurveKeyPair) {
    self.address = address
    self.port = port
    self.keys = keys
  }

  /// Whether it is an IPv6 address.
  var isIPv6: Bool { self.address.contains(":") }

  /// The endpoint as libzmq spells it.
  public var endpoint: String {
    "tcp://\(self.isIPv6 ? "[\(self.address)]" : self.address):\(self.port == 0 ? "*" : "\(self.port)")"
  }
}

/// The tcp endpoints of a plane's socket.
///
/// libzmq copies a socket's options when it binds (zmq_setsockopt(3)), so one socket serves ipc without a mechanism and
/// tcp with CURVE, with a key for each port. libzmq cannot close one peer; unbinding closes all peers of an endpoint.
struct TCPBinding: Sendable {
  /// The bound endpoints as libzmq spells them.
  private(set) var endpoints: [String] = []

  /// Binds these listeners in place of the previous ones.
  ///
  /// - Parameter socket: Has bound ipc already; everything it binds from now on uses CURVE.
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
  /// Calls ``TCPBinding/listen(_:on:)``, for a socket that may have been closed.
  mutating func listen(_ listeners: [TCPListener], _ binding: inout TCPBinding) throws(ZMQError) {
    try binding.listen(listeners, on: &self)
  }
}
