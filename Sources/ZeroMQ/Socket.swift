internal import CZeroMQ
public import EventLoop
internal import Glibc

/// A libzmq socket; closes when it goes.
///
/// libzmq allows a socket to one thread at a time, with a memory fence between two. That is what ownership gives: the
/// value cannot be copied, everything that uses it needs exclusive access, and whatever hands it to another thread
/// synchronises. Keep it in an actor on an event loop (`LoopActor`), whose `isolated deinit` closes it there.
///
/// `@unchecked` is sound: all methods that reach libzmq are `mutating` or consume the value, so one thread at a time has it.
@safe public struct Socket: ~Copyable, @unchecked Sendable {
  /// Shared with the poller of the loop, which runs on the thread that owns the socket.
  let state: UnsafeMutablePointer<SocketState>
  var monitor: MonitorReader?
  var meter: ConnectionMeter?
  // Keeps the context object as long as the socket can be used.
  let context: Context

  init(handle: UnsafeMutableRawPointer, context: Context) throws(ZMQError) {
    // Open, and given away only here.
    guard let opened = unsafe SocketState(handle) else {
      let error = ZMQError("zmq_getsockopt", "ZMQ_FD")
      unsafe zmq_close(handle)
      throw error
    }
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: opened)
    self.context = context
  }

  deinit {
    // Stopped before its reader goes, which happens after this body.
    if monitor != nil { unsafe zmq_socket_monitor(handle, nil, 0) }
    // Open until here, and nobody else has it.
    unsafe zmq_close(handle)
    unsafe state.deallocate()
  }

  /// The socket for a call of libzmq, which may take commands out of the queue that the poller listens to.
  var handle: UnsafeMutableRawPointer {
    // Initialised from `init` to `deinit`.
    unsafe state.pointee.mustBeAsked = true
    return unsafe state.pointee.handle
  }

  /// The socket as an event loop watches it.
  ///
  /// - Important: Valid while the socket is; see `LoopActor.watch`.
  public var source: PollSource { unsafe .socket(UnsafeMutableRawPointer(state)) }

  /// Counts what is taken from and sent to each connection of a ROUTER or XPUB, within the limits of ``ConnectionTraffic``. To be called
  /// before the socket is bound.
  ///
  /// - Parameter mostUnread: Bytes that a connection may have sent and nobody has taken, beyond which it is cut; 0 = within the limits.
  public mutating func startMeter(of kind: SocketKind, mostUnread: Int = 0) {
    self.meter = ConnectionMeter(isRouter: kind == .router, mostUnread: mostUnread)
  }

  // MARK: - Endpoints

  /// Accepts connections at `endpoint`. Options that are set later do not apply to it. zmq_bind(3).
  ///
  /// - Parameter endpoint: Such as `tcp://127.0.0.1:*` or `inproc://name`. For `ipc` see `bind(_:)` with `IPCEndpoint`.
  /// - Throws: `ZMQError`, `addressInUse` among others.
  public mutating func bind(_ endpoint: String) throws(ZMQError) {
    // The string outlives the call.
    try call("zmq_bind", endpoint) {
      guard let meter else { return unsafe zmq_bind(handle, endpoint) }
      return meter.binding { unsafe zmq_bind(handle, endpoint) }
    }
  }

  /// Connects to `endpoint`, now or when it appears. zmq_connect(3).
  ///
  /// - Throws: `ZMQError` for an endpoint that cannot exist.
  public mutating func connect(_ endpoint: String) throws(ZMQError) {
    // The string outlives the call.
    try call("zmq_connect", endpoint) { unsafe zmq_connect(handle, endpoint) }
  }

  /// Stops accepting at `endpoint`, which must be spelt as `lastEndpoint` gave it. Drops tcp peers. zmq_unbind(3).
  ///
  /// - Throws: `ZMQError` with `noSuchEndpoint` when it was not bound.
  public mutating func unbind(_ endpoint: String) throws(ZMQError) {
    // The string outlives the call.
    try call("zmq_unbind", endpoint) { unsafe zmq_unbind(handle, endpoint) }
  }

  private func call(_ name: StaticString, _ endpoint: String, _ body: () -> Int32) throws(ZMQError) {
    while body() == -1 {
      let error = ZMQError(name, endpoint)
      guard error.code == .interrupted else { throw error }
    }
  }
}
