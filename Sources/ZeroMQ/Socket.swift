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

/// The messaging pattern of a socket. zmq_socket(3).
public enum SocketKind: Sendable, Hashable, CaseIterable {
  case request, reply, dealer, router
  case publish, subscribe, extendedPublish, extendedSubscribe
  case push, pull, pair

  var rawValue: Int32 {
    switch self {
    case .request: ZMQ_REQ
    case .reply: ZMQ_REP
    case .dealer: ZMQ_DEALER
    case .router: ZMQ_ROUTER
    case .publish: ZMQ_PUB
    case .subscribe: ZMQ_SUB
    case .extendedPublish: ZMQ_XPUB
    case .extendedSubscribe: ZMQ_XSUB
    case .push: ZMQ_PUSH
    case .pull: ZMQ_PULL
    case .pair: ZMQ_PAIR
    }
  }
}

extension Socket {
  /// The endpoint of the last bind, with the port that the system chose. zmq_getsockopt(3), ZMQ_LAST_ENDPOINT.
  ///
  /// - Throws: `ZMQError` when the context is terminated.
  public mutating func lastEndpoint() throws(ZMQError) -> String {
    var buffer = [CChar](repeating: 0, count: 1024)
    var count = buffer.count
    // `count` is the room in the buffer, and then what libzmq has written with the final NUL.
    guard unsafe zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &buffer, &count) == 0 else {
      throw ZMQError("zmq_getsockopt", "ZMQ_LAST_ENDPOINT")
    }
    return String(decoding: buffer.prefix(max(0, count - 1)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// What the socket can do without waiting. zmq_getsockopt(3), ZMQ_EVENTS.
  ///
  /// - Throws: `ZMQError` when the context is terminated.
  public mutating func readiness() throws(ZMQError) -> Readiness {
    let events = try integer(ZMQ_EVENTS)
    return Readiness(zmq: events)
  }

  private func integer(_ option: Int32) throws(ZMQError) -> Int32 {
    var value: Int32 = 0
    var count = MemoryLayout<Int32>.size
    // `count` is the size of `value`.
    guard unsafe zmq_getsockopt(handle, option, &value, &count) == 0 else {
      throw ZMQError("zmq_getsockopt", "option \(option)")
    }
    return value
  }
}

extension Readiness {
  /// The flags of zmq_poll(3) and ZMQ_EVENTS.
  init(zmq events: Int32) {
    self = []
    if events & ZMQ_POLLIN != 0 { insert(.readable) }
    if events & ZMQ_POLLOUT != 0 { insert(.writable) }
    if events & ZMQ_POLLERR != 0 { insert(.failed) }
  }
}

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
