internal import CZeroMQ
public import EventLoop
internal import Glibc

/// A libzmq socket. It is closed when it is destroyed.
///
/// libzmq allows one thread at a time to use a socket, with a memory fence between two threads. Ownership ensures that:
/// the value cannot be copied, every use needs exclusive access, and passing it to another thread synchronises. Keep it
/// in an actor on an event loop (`LoopActor`), whose `isolated deinit` closes it there.
///
/// ```swift
/// var socket = try context.makeSocket(.subscribe)
/// try socket.set(.subscribe, Array("news".utf8))
/// try socket.connect("tcp://127.0.0.1:7751")
/// var message = MultipartMessage()
/// if try socket.receive(&message) == .received { print(message.string(at: 0)) }
/// ```
///
/// `@unchecked` is sound: all methods that reach libzmq are `mutating` or consume the value, so one thread at a time has it.
@safe public struct Socket: ~Copyable, @unchecked Sendable {
  /// Shared with the poller of the event loop, which runs on the thread that owns the socket.
  let state: UnsafeMutablePointer<SocketState>
  var monitor: MonitorReader?
  var meter: ConnectionMeter?
  // Keeps the context alive while the socket exists.
  let context: Context

  init(handle: UnsafeMutableRawPointer, context: Context) throws(ZMQError) {
    // The handle is open and owned by this value from here on.
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
    // Stopped before its reader is destroyed, which happens after this body.
    if monitor != nil { unsafe zmq_socket_monitor(handle, nil, 0) }
    // Open until here, and owned by this value alone.
    unsafe zmq_close(handle)
    unsafe state.deallocate()
  }

  /// The handle for a call of libzmq, which may process commands that the poller would otherwise report.
  var handle: UnsafeMutableRawPointer {
    // Initialised from `init` to `deinit`.
    unsafe state.pointee.mustBeAsked = true
    return unsafe state.pointee.handle
  }

  /// The socket as a source for an event loop.
  ///
  /// - Important: Valid only while the socket exists; see `LoopActor.watch`.
  public var source: PollSource { unsafe .socket(UnsafeMutableRawPointer(state)) }

  /// Starts to count the bytes of each connection of a ROUTER or XPUB against the limits of ``ConnectionTraffic``. Call it
  /// before the socket is bound.
  ///
  /// - Parameter mostUnread: The most unread bytes of a connection, beyond which it is closed; 0 = only the general limits.
  public mutating func startMeter(of kind: SocketKind, mostUnread: Int = 0) {
    self.meter = ConnectionMeter(isRouter: kind == .router, mostUnread: mostUnread)
  }

  // MARK: - Endpoints

  /// Accepts connections at `endpoint`. Options that are set later do not apply to them. zmq_bind(3).
  ///
  /// - Parameter endpoint: For example `tcp://127.0.0.1:*` or `inproc://name`. For ipc see `bind(_:)` with `IPCEndpoint`.
  /// - Throws: `ZMQError`, such as `addressInUse`.
  public mutating func bind(_ endpoint: String) throws(ZMQError) {
    // The string outlives the call.
    try call("zmq_bind", endpoint) {
      guard let meter else { return unsafe zmq_bind(handle, endpoint) }
      return meter.binding { unsafe zmq_bind(handle, endpoint) }
    }
  }

  /// Connects to `endpoint`, now or when a peer binds it. zmq_connect(3).
  ///
  /// - Throws: `ZMQError` for an invalid endpoint.
  public mutating func connect(_ endpoint: String) throws(ZMQError) {
    // The string outlives the call.
    try call("zmq_connect", endpoint) { unsafe zmq_connect(handle, endpoint) }
  }

  /// Stops accepting at `endpoint`, spelt as `lastEndpoint` returned it. Disconnects tcp peers. zmq_unbind(3).
  ///
  /// - Throws: `ZMQError` with `noSuchEndpoint` if it was not bound.
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
///
/// ```swift
/// var router = try context.makeSocket(.router)
/// try router.bind("tcp://127.0.0.1:7750")
/// ```
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
  /// - Throws: `ZMQError` if the context is terminated.
  public mutating func lastEndpoint() throws(ZMQError) -> String {
    var buffer = [CChar](repeating: 0, count: 1024)
    var count = buffer.count
    // `count` is the size of the buffer, and afterwards the number of written bytes with the final NUL.
    guard unsafe zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &buffer, &count) == 0 else {
      throw ZMQError("zmq_getsockopt", "ZMQ_LAST_ENDPOINT")
    }
    return String(decoding: buffer.prefix(max(0, count - 1)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Whether the socket can send or receive without blocking. zmq_getsockopt(3), ZMQ_EVENTS.
  ///
  /// - Throws: `ZMQError` if the context is terminated.
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

/// The state of a socket that a poller needs.
///
/// The descriptor of a socket is edge-triggered: it is readable after another thread has queued a command for the socket,
/// and any call on the socket may process that command. So the socket has to be queried after each such event and after
/// each call, but at no other time. zmq_getsockopt(3), ZMQ_FD.
@safe struct SocketState {
  let handle: UnsafeMutableRawPointer
  /// ZMQ_FD.
  let descriptor: Int32
  /// Whether the socket may be ready although its descriptor is not readable.
  var mustBeAsked = true

  /// Reads the descriptor of an open socket; nil if its context is terminated.
  init?(_ handle: UnsafeMutableRawPointer) {
    unsafe self.handle = handle
    var descriptor: Int32 = -1
    var count = MemoryLayout<Int32>.size
    // `count` is the size of `descriptor`.
    guard unsafe zmq_getsockopt(handle, ZMQ_FD, &descriptor, &count) == 0 else { return nil }
    self.descriptor = descriptor
  }

  /// Queries in which ways of `interest` the socket is ready; `failed` if its context is terminated.
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
