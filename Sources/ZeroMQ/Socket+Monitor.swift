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
