internal import Bus
internal import EventLoop
internal import KithMessages
internal import Logging
internal import ZeroMQ

/// An actor that serves a plane.
protocol Plane: LoopActor {
  /// The plane's socket.
  var socket: PlaneSocket { get }

  /// Receives at most 64 messages. The event loop reports the rest in its next turn.
  func readable()

  /// Handles an event of a connection, after the socket has handled it.
  func note(_ event: MonitorEvent.Kind)
}

extension Plane {
  func note(_ event: MonitorEvent.Kind) {}
}

/// The socket of a plane with its connections: the common part of the three planes.
///
/// It belongs to its plane and is called on the plane's event loop.
final class PlaneSocket {
  /// The longest time for a peer's handshake.
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
  ///   - domain: The ZAP domain.
  ///   - context: Has a ZAP handler on the plane's event loop.
  ///   - connections: The most connections.
  ///   - frames: The most frames of a received message.
  /// - Throws: `ZMQError` if the socket cannot be created.
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

  /// Makes a socket with a ZAP domain, which refuses all peers while no ZAP handler answers. Its options:
  /// docs/protocol.md, "Sockets".
  static func make(_ kind: SocketKind, zapDomain: String, in context: Context) throws(ZMQError) -> Socket {
    var socket = try context.makeSocket(kind)
    if kind == .router {
      try socket.set(.routerMandatory, true)
      try socket.set(.routerHandover, false)
      try socket.set(.sendHighWaterMark, 128)
    } else {
      // Not manual: libzmq attributes subscriptions to wrong peers then. docs/decisions/0044.
      try socket.set(.reportsAllSubscriptions, true)
      try socket.set(.sendHighWaterMark, 1000)
    }
    // libzmq may abort when a receive queue is full: docs/decisions/0030. Bytes are limited instead.
    try socket.set(.receiveHighWaterMark, 0)
    // An XPUB needs 36 times the size of each subscribed topic, and reads all received subscriptions at once.
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

  /// Binds the ipc endpoint and starts to serve. Does nothing after ``close()``.
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

  /// Closes the connections. Sent messages linger for a second.
  func close() {
    self.watch = nil
    self.monitorWatch = nil
    self.socket = nil
  }

  // MARK: - Connections

  /// The numbers of connections and failed handshakes.
  var peers: PlaneStatus {
    var status = PlaneStatus()
    status.name = self.domain
    status.connections = UInt32(self.connections.count)
    status.failedHandshakes = self.handshakes.count
    status.endpoints = self.tcp.endpoints
    return status
  }

  /// The descriptors of the connections.
  var descriptors: some Collection<Int32> { self.connections.descriptors }

  /// The user id of a received message; empty if it has none. Closes the connection if its user exceeds its share.
  func userID(of message: borrowing MultipartMessage) -> String { self.connections.hear(message, self.access) }

  /// Handles the events of connections.
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

  /// Whether there is room for a peer during its handshake.
  private func hasRoom<P: Plane>(for arrival: Arrival, of plane: isolated P) -> Bool {
    self.drainMonitor(plane)
    return self.connections.admit(arrival, now: .now).carryOut()
  }

  // MARK: - Messages

  /// How long a plane receives in one turn of the loop. Other planes and answers wait meanwhile, and 64 large messages would take a
  /// tenth of a second.
  private static let turn = Duration.milliseconds(2)

  /// Receives messages until there is none or the turn is over.
  ///
  /// - Parameters:
  ///   - limit: The most messages; the event loop reports the rest in its next turn.
  ///   - body: Receives each message, and whether all its frames were kept.
  func receive(atMost limit: Int, _ body: (ReceiveResult, borrowing MultipartMessage) -> Void) {
    do {
      let end = ContinuousClock.now + Self.turn
      for _ in 0..<limit {
        let result = try self.socket?.receive(&self.incoming) ?? .empty
        if result == .empty { return }
        body(result, self.incoming)
        if .now >= end { return }
      }
    } catch {
      self.logger.error("\(self.domain) plane cannot receive", metadata: ["error": "\(error)"])
    }
  }

  /// Receives messages of a ROUTER and drops those with too many frames.
  ///
  /// - Parameter body: Receives each message, whose first frame is the peer's routing id, and the peer's user id.
  func receive(_ body: (borrowing MultipartMessage, _ userID: String) -> Void) {
    self.receive(atMost: 64) { result, message in
      if case .oversized(let frames, _) = result { return self.drop(frames) }
      if message.count >= 2 { body(message, self.userID(of: message)) }
    }
  }

  /// Logs a dropped message with too many frames.
  func drop(_ frames: Int) {
    self.logger.debug("message with too many frames dropped", metadata: ["frames": "\(frames)"])
  }

  /// Sends a message. If libzmq fails, the error is logged and the message is lost.
  ///
  /// - Parameter fill: Appends the frames, at most two more than ``WireLimits/frames``.
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

/// Logs handshakes that failed before authentication, with a rate limit. A pure value.
struct HandshakeLog {
  private var lines = RateLimit(burst: 16, interval: .seconds(2))
  private var untold = 0
  /// The number of failed handshakes.
  private(set) var count: UInt64 = 0

  /// The metadata of a log line about an event; nil if it is not such a failure or above the rate limit.
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
