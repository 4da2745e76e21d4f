internal import CZeroMQ
public import EventLoop

extension Socket {
  /// Starts to report the events of the socket's connections. zmq_socket_monitor(3).
  ///
  /// The monitor belongs to the socket and is closed with it in the right order: libzmq's I/O thread would block forever on
  /// a monitor without a reader.
  ///
  /// - Important: Watch the returned source and call `drainMonitor` whenever it is readable: the I/O thread also blocks
  ///   when about 2,000 events are unread.
  /// - Parameter events: The events to report.
  /// - Returns: The source to watch while the socket exists.
  /// - Throws: `ZMQError`; `wrongState` if the socket is monitored already.
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

  /// Reads the pending events.
  ///
  /// - Throws: `ZMQError` if the context is terminated.
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

/// The socket that reads a monitor's events. A class, because a socket cannot contain another socket.
final class MonitorReader {
  var socket: Socket

  init(socket: consuming Socket) {
    self.socket = socket
  }
}

/// An event of a connection of a monitored socket. zmq_socket_monitor(3).
///
/// ```swift
/// let source = try socket.startMonitor(.handshakes)
/// try socket.drainMonitor { event in
///   if case .handshakeRefused(let status) = event.kind { print("refused: \(status)") }
/// }
/// ```
public struct MonitorEvent: Hashable, Sendable {
  /// The kind of an event.
  public enum Kind: Hashable, Sendable {
    /// A peer has connected; with the connection's descriptor, which its messages carry as the property `__fd`.
    case accepted(Int32)
    /// A connection has ended; with its descriptor, which may be reused soon.
    case disconnected(Int32)
    case connected, connectDelayed, connectRetried, listening, closed
    /// Binding, accepting or closing failed; with an `errno`.
    case bindFailed(Int32), acceptFailed(Int32), closeFailed(Int32)
    /// The handshake succeeded; messages can be exchanged.
    case handshakeSucceeded
    /// The connection broke during the handshake; with an `errno`. A CURVE client with a wrong server key gets this event.
    case handshakeBroken(Int32)
    /// The peer violated the protocol; with a `ZMQ_PROTOCOL_ERROR_...` code. libzmq does not reconnect.
    case handshakeInvalid(Int32)
    /// The ZAP handler did not accept the peer; with its status 300, 400 or 500.
    case handshakeRefused(Int32)
    /// An unknown event.
    case other(UInt16)
  }

  /// The events that a monitor reports.
  public struct Selection: OptionSet, Hashable, Sendable {
    /// libzmq's bits.
    public let rawValue: Int32

    /// Creates a selection from libzmq's bits.
    public init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    /// All events except the end of the monitor, for which libzmq would block.
    public static let all = Selection(rawValue: ZMQ_EVENT_ALL & ~ZMQ_EVENT_MONITOR_STOPPED)
    /// Connections that are opened and closed, and closed listeners, whose connections are closed too.
    public static let connections = Selection(
      rawValue: ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED)
    /// Handshakes that succeeded or failed.
    public static let handshakes = Selection(rawValue: ZMQ_EVENT_HANDSHAKE_SUCCEEDED).union(.failedHandshakes)
    /// Handshakes that failed.
    public static let failedHandshakes = Selection(
      rawValue: ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
        | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
  }

  /// The kind of the event.
  public let kind: Kind
  /// The endpoint of the connection, as libzmq spells it.
  public let endpoint: String

  /// Why the local end ended an invalid handshake, in words; nil for any other event.
  public var protocolFault: String? {
    guard case .handshakeInvalid(let code) = self.kind else { return nil }
    return switch code {
    case ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC: "it takes this server for one with another key"
    case ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH: "it has no key"
    default: "it does not keep to the protocol (\(code))"
    }
  }

  /// Parses the two frames of an event: number and value in the machine's byte order, then the endpoint.
  ///
  /// - Returns: nil if the frames are not an event.
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
