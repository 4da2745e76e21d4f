internal import CZeroMQ
public import EventLoop

extension Socket {
  /// Starts to report what happens to the socket's connections. zmq_socket_monitor(3).
  ///
  /// The monitor belongs to the socket and ends with it, in the right order: libzmq's I/O thread would wait for ever on
  /// a monitor whose reader has gone.
  ///
  /// - Important: Watch the returned source and call `drainMonitor` whenever it is readable: the I/O thread also stops
  ///   when some 2,000 events are left unread.
  /// - Parameter events: Which ones; a few suffice to see who connects and why somebody cannot.
  /// - Returns: What to watch, for as long as the socket exists.
  /// - Throws: `ZMQError`; `wrongState` when the socket is monitored already.
  public mutating func startMonitor(_ events: MonitorEvent.Selection) throws(ZMQError) -> PollSource {
    guard monitor == nil else { throw ZMQError(code: .wrongState, "zmq_socket_monitor") }
    let endpoint = context.nextMonitorEndpoint()
    var reader = try context.makeSocket(.pair)
    try reader.set(.linger, .zero)
    // The string is copied by the call.
    guard unsafe zmq_socket_monitor(handle, endpoint, events.rawValue) == 0 else {
      throw ZMQError("zmq_socket_monitor", endpoint)
    }
    let source = reader.source
    do throws(ZMQError) {
      try reader.connect(endpoint)
    } catch {
      // The socket is open; a null endpoint stops its monitor.
      unsafe zmq_socket_monitor(handle, nil, 0)
      throw error
    }
    monitor = MonitorReader(socket: reader)
    return source
  }

  /// Reads the events that have arrived.
  ///
  /// - Throws: `ZMQError` when the context is terminated.
  public mutating func drainMonitor(_ body: (MonitorEvent) -> Void) throws(ZMQError) {
    guard let monitor else { return }
    var message = MultipartMessage(capacity: 2)
    while try monitor.socket.receive(&message) != .empty {
      guard let event = MonitorEvent(message) else { continue }
      if case .disconnected(let connection) = event.kind { meter?.forget(connection) }
      body(event)
    }
  }
}

/// The socket from which a monitor's events are read. A class, because a socket cannot contain another one.
final class MonitorReader {
  var socket: Socket

  init(socket: consuming Socket) {
    self.socket = socket
  }
}

/// Something that happened to a connection of a monitored socket. zmq_socket_monitor(3).
public struct MonitorEvent: Hashable, Sendable {
  /// What happened.
  public enum Kind: Hashable, Sendable {
    /// A peer has connected; the descriptor of its connection, which its messages carry as the property `__fd`.
    case accepted(Int32)
    /// A connection has ended; its descriptor, which may stand for another one soon.
    case disconnected(Int32)
    case connected, connectDelayed, connectRetried, listening, closed
    /// Binding, accepting or closing failed, with an `errno`.
    case bindFailed(Int32), acceptFailed(Int32), closeFailed(Int32)
    /// The peers have agreed on protocol and mechanism: messages can flow.
    case handshakeSucceeded
    /// The connection broke during the handshake, with an `errno`. A CURVE client with a wrong server key sees this.
    case handshakeBroken(Int32)
    /// The peer did not keep to the protocol; a `ZMQ_PROTOCOL_ERROR_...` code. libzmq does not try again.
    case handshakeInvalid(Int32)
    /// The ZAP handler did not accept the peer, with its status: 300, 400 or 500.
    case handshakeRefused(Int32)
    /// An event that this module does not know.
    case other(UInt16)
  }

  /// Which events a monitor reports.
  public struct Selection: OptionSet, Hashable, Sendable {
    /// libzmq's bits.
    public let rawValue: Int32

    /// Creates a selection from libzmq's bits.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    /// Everything, except that the monitor itself has stopped: libzmq would wait for room to say so.
    public static let all = Selection(rawValue: ZMQ_EVENT_ALL & ~ZMQ_EVENT_MONITOR_STOPPED)
    /// Connections that came to be, and that ended; listeners that were closed, with all that came in by them.
    public static let connections = Selection(
      rawValue: ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED)
    /// How handshakes ended.
    public static let handshakes = Selection(rawValue: ZMQ_EVENT_HANDSHAKE_SUCCEEDED).union(.failedHandshakes)
    /// Handshakes that came to nothing.
    public static let failedHandshakes = Selection(
      rawValue: ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
  }

  /// What happened.
  public let kind: Kind
  /// The endpoint of the connection, as libzmq spells it.
  public let endpoint: String

  /// Why the near end gave a handshake up that broke the protocol, in words; nil for any other event.
  public var protocolFault: String? {
    guard case .handshakeInvalid(let code) = self.kind else { return nil }
    return switch code {
    case ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC: "it takes this server for one with another key"
    case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: "it has no key"
    default: "it does not keep to the protocol (\(code))"
    }
  }

  /// Reads the two frames of an event: number and value in the machine's byte order, then the endpoint.
  ///
  /// - Returns: Nil when the frames are not those of an event.
  init?(_ message: borrowing MultipartMessage) {
    guard message.count == 2, message.byteCount(at: 0) == 6 else { return nil }
    // Six bytes, as just checked.
    let (number, value) = unsafe message.withUnsafeBytes(at: 0) { bytes in
      unsafe (bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self))
    }
    kind = Kind(number: number, value: value)
    endpoint = message.string(at: 1)
  }
}

extension MonitorEvent.Kind {
  fileprivate init(number: UInt16, value: Int32) {
    self =
      switch Int32(number) {
      case ZMQ_EVENT_CONNECTED: .connected
      case ZMQ_EVENT_CONNECT_DELAYED: .connectDelayed
      case ZMQ_EVENT_CONNECT_RETRIED: .connectRetried
      case ZMQ_EVENT_LISTENING: .listening
      case ZMQ_EVENT_BIND_FAILED: .bindFailed(value)
      case ZMQ_EVENT_ACCEPTED: .accepted(value)
      case ZMQ_EVENT_ACCEPT_FAILED: .acceptFailed(value)
      case ZMQ_EVENT_CLOSED: .closed
      case ZMQ_EVENT_CLOSE_FAILED: .closeFailed(value)
      case ZMQ_EVENT_DISCONNECTED: .disconnected(value)
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: .handshakeSucceeded
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: .handshakeBroken(value)
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: .handshakeInvalid(value)
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: .handshakeRefused(value)
      default: .other(number)
      }
  }
}
