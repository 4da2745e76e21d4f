internal import CZeroMQ

/// An option of a socket, with the type of its value. zmq_setsockopt(3).
///
/// Options apply only to later binds and connects, except subscriptions, `linger`, high-water marks, and ROUTER options.
///
/// ```swift
/// try socket.set(.linger, .seconds(1))
/// try socket.set(.sendHighWaterMark, 64)
/// ```
public struct SocketOption<Value>: Sendable {
  let rawValue: Int32
}

extension SocketOption<Bool> {
  /// Makes a ROUTER report unknown and full peers instead of dropping silently.
  public static let routerMandatory = Self(rawValue: ZMQ_ROUTER_MANDATORY)
  /// Lets a new peer take over the routing id of an existing one.
  public static let routerHandover = Self(rawValue: ZMQ_ROUTER_HANDOVER)
  /// Queues messages only for connected peers.
  public static let immediate = Self(rawValue: ZMQ_IMMEDIATE)
  /// Makes an XPUB report each subscription and its end, also for a topic with other subscribers.
  public static let reportsAllSubscriptions = Self(rawValue: ZMQ_XPUB_VERBOSER)
  /// Accepts IPv6 addresses as well.
  public static let ipv6 = Self(rawValue: ZMQ_IPV6)
  /// Makes the socket the CURVE server of its connections.
  public static let curveServer = Self(rawValue: ZMQ_CURVE_SERVER)
  /// Refuses connections if no ZAP handler answers.
  public static let enforceZAPDomain = Self(rawValue: KITH_ZMQ_ZAP_ENFORCE_DOMAIN)
}

extension SocketOption<Int32> {
  /// Messages queued for sending, for each peer; 0 has no limit.
  public static let sendHighWaterMark = Self(rawValue: ZMQ_SNDHWM)
  /// Messages queued on receipt, for each peer; 0 has no limit.
  public static let receiveHighWaterMark = Self(rawValue: ZMQ_RCVHWM)
  /// Connections that wait to be accepted.
  public static let backlog = Self(rawValue: ZMQ_BACKLOG)
  /// Whether the kernel probes silent tcp peers: 1 = yes, -1 = system default.
  static let keepAlive = Self(rawValue: ZMQ_TCP_KEEPALIVE)
  /// Seconds of silence before the first probe.
  static let keepAliveIdle = Self(rawValue: ZMQ_TCP_KEEPALIVE_IDLE)
  /// Seconds between two probes.
  static let keepAliveInterval = Self(rawValue: ZMQ_TCP_KEEPALIVE_INTVL)
  /// The number of unanswered probes after which the connection ends.
  static let keepAliveCount = Self(rawValue: ZMQ_TCP_KEEPALIVE_CNT)
}

extension SocketOption<Int64> {
  /// The largest frame that a peer may send, in bytes; -1 = no limit. A larger frame closes the connection.
  public static let maximumFrameSize = Self(rawValue: ZMQ_MAXMSGSIZE)
}

extension SocketOption<Duration?> {
  /// How long unsent messages outlive their socket; nil = forever, which is also the default.
  public static let linger = Self(rawValue: ZMQ_LINGER)
  /// The timeout of a blocking send; nil = none.
  public static let sendTimeout = Self(rawValue: ZMQ_SNDTIMEO)
  /// The timeout of a blocking receive; nil = none.
  public static let receiveTimeout = Self(rawValue: ZMQ_RCVTIMEO)
}

extension SocketOption<Duration> {
  /// The timeout of a handshake.
  public static let handshakeInterval = Self(rawValue: ZMQ_HANDSHAKE_IVL)
  /// How long sent tcp data may stay unacknowledged before the connection ends.
  static let maximumRetransmission = Self(rawValue: ZMQ_TCP_MAXRT)
  /// The first wait before a reconnect.
  public static let reconnectInterval = Self(rawValue: ZMQ_RECONNECT_IVL)
  /// The longest wait before a reconnect; 0 = always the first one.
  public static let maximumReconnectInterval = Self(rawValue: ZMQ_RECONNECT_IVL_MAX)
}

extension SocketOption<String> {
  /// The domain that is passed to the ZAP handler; it must not be empty if the handler decides about NULL peers.
  public static let zapDomain = Self(rawValue: ZMQ_ZAP_DOMAIN)
}

extension SocketOption<[UInt8]> {
  /// Subscribes a SUB to a prefix.
  public static let subscribe = Self(rawValue: ZMQ_SUBSCRIBE)
  /// Removes a subscription.
  public static let unsubscribe = Self(rawValue: ZMQ_UNSUBSCRIBE)
  /// The name under which a ROUTER knows this peer. Tests only: a clash makes peers vanish.
  package static let routingID = Self(rawValue: ZMQ_ROUTING_ID)
}

extension SocketOption<CurveKey> {
  /// The own public key of a CURVE client.
  public static let curvePublicKey = Self(rawValue: ZMQ_CURVE_PUBLICKEY)
  /// The own secret key of a CURVE client or server.
  public static let curveSecretKey = Self(rawValue: ZMQ_CURVE_SECRETKEY)
  /// The server's public key, for a CURVE client.
  public static let curveServerKey = Self(rawValue: ZMQ_CURVE_SERVERKEY)
}

extension Socket {
  /// Makes the kernel end a tcp connection after 20 s without a sign of life. tcp(7).
  ///
  /// libzmq's own heartbeats are not used: with them libzmq 4.3.4 and 4.3.5 abort the process when a connection breaks
  /// whose input waits for room. docs/decisions/0030.
  public mutating func endDeadConnections() throws(ZMQError) {
    try self.set(.keepAlive, 1)
    try self.set(.keepAliveIdle, 5)
    try self.set(.keepAliveInterval, 5)
    try self.set(.keepAliveCount, 3)
    try self.set(.maximumRetransmission, .seconds(20))
  }

  /// Sets a Boolean option. - Throws: `ZMQError` if libzmq refuses it.
  public mutating func set(_ option: SocketOption<Bool>, _ value: Bool) throws(ZMQError) {
    try set(option.rawValue, integer: Int32(value ? 1 : 0))
  }

  /// Sets a number. - Throws: `ZMQError` if libzmq refuses it.
  public mutating func set(_ option: SocketOption<Int32>, _ value: Int32) throws(ZMQError) {
    try set(option.rawValue, integer: value)
  }

  /// Sets a size. - Throws: `ZMQError` if libzmq refuses it.
  public mutating func set(_ option: SocketOption<Int64>, _ value: Int64) throws(ZMQError) {
    try set(option.rawValue, integer: value)
  }

  /// Sets a time in whole milliseconds. - Throws: `ZMQError` if libzmq refuses it.
  public mutating func set(_ option: SocketOption<Duration>, _ value: Duration) throws(ZMQError) {
    try set(option.rawValue, integer: Int32(clamping: Int64(value / .milliseconds(1))))
  }

  /// Sets a time; nil = no limit. - Throws: `ZMQError` if libzmq refuses it.
  public mutating func set(_ option: SocketOption<Duration?>, _ value: Duration?) throws(ZMQError) {
    try set(option.rawValue, integer: value.map { Int32(clamping: Int64($0 / .milliseconds(1))) } ?? -1)
  }

  /// Sets a text. - Throws: `ZMQError` if libzmq refuses it.
  public mutating func set(_ option: SocketOption<String>, _ value: String) throws(ZMQError) {
    try set(option.rawValue, bytes: Array(value.utf8))
  }

  /// Sets bytes. - Throws: `ZMQError` if libzmq refuses them.
  public mutating func set(_ option: SocketOption<[UInt8]>, _ value: [UInt8]) throws(ZMQError) {
    try set(option.rawValue, bytes: value)
  }

  /// Sets a key. - Throws: `ZMQError` if libzmq was built without CURVE.
  public mutating func set(_ option: SocketOption<CurveKey>, _ value: CurveKey) throws(ZMQError) {
    try set(option.rawValue, bytes: value.bytes)
  }

  private func set(_ option: Int32, integer: some FixedWidthInteger & BitwiseCopyable) throws(ZMQError) {
    // Copied by libzmq within the call.
    let result = unsafe withUnsafeBytes(of: integer) { bytes in
      unsafe zmq_setsockopt(handle, option, bytes.baseAddress, bytes.count)
    }
    guard result == 0 else { throw ZMQError("zmq_setsockopt", "option \(option)") }
  }

  private func set(_ option: Int32, bytes: [UInt8]) throws(ZMQError) {
    // Copied by libzmq within the call.
    let result = unsafe bytes.withUnsafeBytes { bytes in
      unsafe zmq_setsockopt(handle, option, bytes.baseAddress, bytes.count)
    }
    guard result == 0 else { throw ZMQError("zmq_setsockopt", "option \(option)") }
  }
}
