internal import ZeroMQ

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
