internal import EventLoop
internal import KithMessages
internal import Logging
internal import ZeroMQ

/// An actor that serves a plane.
protocol Plane: LoopActor {
  /// The plane's socket.
  var socket: PlaneSocket { get }

  /// Takes messages that have come: at most 64, the rest is reported again in the next turn of the loop.
  func readable()

  /// Takes up what happened to a connection, after the socket has done so.
  func note(_ event: MonitorEvent.Kind)
}

extension Plane {
  func note(_ event: MonitorEvent.Kind) {}
}

/// The socket of a plane with those who come to it: what the three planes have in common.
///
/// It belongs to its plane, and is called on the plane's loop.
final class PlaneSocket {
  /// How long a peer may take until it is let in.
  static let handshakeTime = Duration.seconds(5)

  private let domain: String
  private let access: AccessPolicy
  private let logger: Logger

  /// Nil after ``close()``.
  private var socket: Socket?
  private var tcp = TCPBinding()
  private var watch: Watch?
  private var monitorWatch: Watch?
  private var handshakes = HandshakeLog()
  private var connections: ConnectionTable
  private var incoming: MultipartMessage
  private var outgoing = MultipartMessage(capacity: WireLimits.frames + 2)

  /// Makes a socket that is not bound yet.
  ///
  /// - Parameters:
  ///   - kind: ROUTER or XPUB.
  ///   - domain: The name under which ZAP is asked about its peers.
  ///   - context: With a ZAP handler on the plane's loop.
  ///   - connections: How many may be let in.
  ///   - frames: The most frames of a message that is read.
  /// - Throws: `ZMQError` when the socket cannot be made.
  init(
    _ kind: SocketKind, domain: String, in context: Context, connections: Int, frames: Int, access: AccessPolicy,
    logger: Logger
  ) throws(ZMQError) {
    self.domain = domain
    self.access = access
    self.logger = logger
    self.connections = ConnectionTable(limit: connections)
    self.incoming = MultipartMessage(capacity: frames)
    self.socket = try Self.make(kind, zapDomain: domain, in: context)
  }

  /// Makes a socket whose peers are asked about under a ZAP domain, and which is closed to all while nobody answers. How it is
  /// set up: docs/protocol.md, "Sockets".
  static func make(_ kind: SocketKind, zapDomain: String, in context: Context) throws(ZMQError) -> Socket {
    var socket = try context.makeSocket(kind)
    if kind == .router {
      try socket.set(.routerMandatory, true)
      try socket.set(.routerHandover, false)
      try socket.set(.sendHighWaterMark, 128)
    } else {
      // Not manual: libzmq loses count of whose subscription was read. docs/decisions/0044.
      try socket.set(.reportsAllSubscriptions, true)
      try socket.set(.sendHighWaterMark, 1000)
    }
    // A queue that is full is what libzmq may abort over: docs/decisions/0030. Bytes are bounded instead.
    try socket.set(.receiveHighWaterMark, 0)
    // An XPUB keeps each topic that a peer subscribes to at 36 times its size, and takes up all that have come at once.
    socket.startMeter(of: kind, mostUnread: kind == .router ? 0 : WireLimits.unreadSubscriptions)
    try socket.set(.maximumFrameSize, Int64(kind == .router ? WireLimits.frame : WireLimits.subscriptionFrame))
    try socket.set(.linger, .seconds(1))
    try socket.set(.handshakeInterval, Self.handshakeTime)
    try socket.endDeadConnections()
    try socket.set(.zapDomain, zapDomain)
    try socket.set(.enforceZAPDomain, true)
    try socket.set(.backlog, 100)
    return socket
  }

  // MARK: - Endpoints

  /// Binds the ipc endpoint and begins to serve. Nothing happens after ``close()``.
  func bind<P: Plane>(_ endpoint: IPCEndpoint, of plane: isolated P) throws(ZMQError) {
    guard let source = self.socket?.source,
      let monitor = try self.socket?.startMonitor([.connections, .failedHandshakes])
    else { return }
    self.monitorWatch = plane.watch(monitor, for: .readable) { plane, _ in plane.socket.drainMonitor(plane) }
    self.access.askFirst(self.domain) { [weak plane] arrival in
      plane?.assumeIsolated { $0.socket.hasRoom(for: arrival, of: $0) } ?? true
    }
    try self.socket?.bind(endpoint)
    self.watch = plane.watch(source, for: .readable) { plane, _ in plane.readable() }
  }

  /// Serves these listeners over tcp and no others; see ``NetworkPlane``.
  func listen(_ listeners: [TCPListener]) throws(ZMQError) -> [String] {
    try self.socket?.listen(listeners, &self.tcp)
    return self.tcp.endpoints
  }

  /// Ends the connections. What was sent lingers for a second.
  func close() {
    self.watch = nil
    self.monitorWatch = nil
    self.socket = nil
  }

  // MARK: - Connections

  /// Who is connected, in numbers.
  var peers: PlaneStatus {
    var status = PlaneStatus()
    status.name = self.domain
    status.connections = UInt32(self.connections.count)
    status.failedHandshakes = self.handshakes.count
    status.endpoints = self.tcp.endpoints
    return status
  }

  /// The descriptors of the connections there are.
  var descriptors: some Collection<Int32> { self.connections.descriptors }

  /// The user id of a message that has come; empty where it has none. Cuts its connection where its user has more than its share.
  func userID(of message: borrowing MultipartMessage) -> String { self.connections.hear(message, self.access) }

  /// Takes up what has happened to connections.
  func drainMonitor<P: Plane>(_ plane: isolated P) {
    do {
      try self.socket?.drainMonitor { event in
        self.connections.note(event.kind, at: event.endpoint, now: .now)
        if let line = self.handshakes.line(event, on: self.domain, now: .now) {
          self.logger.notice("peer not let in", metadata: line)
        }
        plane.note(event.kind)
      }
    } catch {
      self.logger.error("monitor of the \(self.domain) plane failed", metadata: ["error": "\(error)"])
    }
  }

  /// Whether a peer that is just asked about may come in.
  private func hasRoom<P: Plane>(for arrival: Arrival, of plane: isolated P) -> Bool {
    self.drainMonitor(plane)
    return self.connections.admit(arrival, now: .now).carryOut()
  }

  // MARK: - Messages

  /// Takes what has come.
  ///
  /// - Parameters:
  ///   - limit: The most messages; the rest is reported in the next turn of the loop.
  ///   - body: Gets each message, and whether all its frames were kept.
  func receive(atMost limit: Int, _ body: (ReceiveResult, borrowing MultipartMessage) -> Void) {
    do {
      for _ in 0..<limit {
        let result = try self.socket?.receive(&self.incoming) ?? .empty
        if result == .empty { return }
        body(result, self.incoming)
      }
    } catch {
      self.logger.error("\(self.domain) plane cannot receive", metadata: ["error": "\(error)"])
    }
  }

  /// Takes what has come to a ROUTER, and drops what has too many frames.
  ///
  /// - Parameter body: Gets each message, whose first frame is the routing id of its peer, and the user id of the peer.
  func receive(_ body: (borrowing MultipartMessage, _ userID: String) -> Void) {
    self.receive(atMost: 64) { result, message in
      if case .oversized(let frames, _) = result { return self.drop(frames) }
      if message.count >= 2 { body(message, self.userID(of: message)) }
    }
  }

  /// Logs a message that has too many frames.
  func drop(_ frames: Int) {
    self.logger.debug("message with too many frames dropped", metadata: ["frames": "\(frames)"])
  }

  /// Sends a message. A failure of libzmq is logged, and the message lost.
  ///
  /// - Parameter fill: Appends the frames: ``WireLimits/frames`` and two at most.
  func send(_ fill: (inout MultipartMessage) throws(ZMQError) -> Void) -> SendResult {
    do {
      self.outgoing.removeAll()
      try fill(&self.outgoing)
      return try self.socket?.send(&self.outgoing) ?? .lost
    } catch {
      self.logger.error("\(self.domain) plane cannot send", metadata: ["error": "\(error)"])
      return .lost
    }
  }
}

/// Tells the log of peers that came to a plane and did not get as far as to be asked who they are. A pure value.
struct HandshakeLog {
  private var lines = RateLimit(burst: 16, interval: .seconds(2))
  private var untold = 0
  /// How many there were.
  private(set) var count: UInt64 = 0

  /// The fields of a line about an event; nil when there is nothing to say, or enough was said.
  mutating func line(_ event: MonitorEvent, on plane: String, now: ContinuousClock.Instant) -> Logger.Metadata? {
    guard let why = event.protocolFault else { return nil }
    self.count += 1
    guard self.lines.take(now) else {
      self.untold += 1
      return nil
    }
    defer { self.untold = 0 }
    return ["plane": "\(plane)", "endpoint": "\(event.endpoint)", "why": "\(why)", "untold": "\(self.untold)"]
  }
}
