internal import CZeroMQ
internal import EventLoop

/// What a poller has to know of a socket.
///
/// The descriptor of a socket is edge-triggered: it is readable when another thread has left a command for the socket, and
/// any call on the socket may take that command. So the socket itself has to be asked what it can do after each such
/// event and after each call, but never otherwise. zmq_getsockopt(3), ZMQ_FD.
@safe struct SocketState {
  let handle: UnsafeMutableRawPointer
  /// ZMQ_FD.
  let descriptor: Int32
  /// Whether the descriptor alone may be silent although the socket is ready.
  var mustBeAsked = true

  /// Looks up the descriptor of an open socket; nil when its context is terminated.
  init?(_ handle: UnsafeMutableRawPointer) {
    unsafe self.handle = handle
    var descriptor: Int32 = -1
    var count = MemoryLayout<Int32>.size
    // `count` is the size of `descriptor`.
    guard unsafe zmq_getsockopt(handle, ZMQ_FD, &descriptor, &count) == 0 else { return nil }
    self.descriptor = descriptor
  }

  /// Asks the socket in which of the ways of `interest` it is ready; `failed` when its context is terminated.
  mutating func readiness(for interest: Readiness) -> Readiness {
    var events: Int32 = 0
    var count = MemoryLayout<Int32>.size
    // The socket is open while it is watched; `count` is the size of `events`.
    guard unsafe zmq_getsockopt(handle, ZMQ_EVENTS, &events, &count) == 0 else { return .failed }
    let ready = Readiness(zmq: events).intersection(interest)
    mustBeAsked = !ready.isEmpty
    return ready
  }
}
