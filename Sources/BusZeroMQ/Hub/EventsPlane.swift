internal import Bus
public import EventLoop
public import KithMessages
public import Logging
public import ZeroMQ

/// The hub's side of the events plane: publishes committed events and the positions of the streams.
///
/// ```swift
/// let plane = try EventsPlane(
///   context: context, loop: loop, heads: heads, hubInstance: instance, access: access, logger: logger)
/// try await plane.bind(try directory.endpoint("events.sock"))
/// plane.publish(events)
/// ```
public actor EventsPlane: Plane, NetworkPlane {
  /// The interval of HEAD while there are subscribers.
  public static let headInterval = Duration.seconds(2)
  /// The shortest time between two HEADs: subscribers that connect together share one, and repeated subscriptions do not
  /// fill queues.
  static let leastHeadInterval = Duration.milliseconds(100)

  /// The ZAP domain of its peers.
  public nonisolated let domain = "events"
  /// The event loop that owns the socket.
  public nonisolated let loop: LoopExecutor
  private let access: AccessPolicy
  private let hubInstance: String
  private let logger: Logger
  let socket: PlaneSocket

  private var subscriptions: SubscriptionTable
  /// The published positions, which HEAD reports. The store may be ahead by events that are not published yet.
  private var positions: [String: StreamPosition]
  private var headTimer: LoopTimer?
  private var headSentAt: ContinuousClock.Instant?

  // Not inlined into other modules: the optimizer of Swift 6.3.1 fails there ("circular reference") on actors whose stored
  // watches cannot be copied.
  /// Makes the plane with a socket that is not bound yet.
  ///
  /// - Parameters:
  ///   - context: Has a ZAP handler on the same event loop, which decides about every peer.
  ///   - heads: The current positions of all streams.
  ///   - hubInstance: Shows subscribers that the hub was restarted.
  /// - Throws: `ZMQError` if the socket cannot be created.
  @_semantics("optimize.no.crossmodule")
  public init(
    context: Context, loop: LoopExecutor, heads: [StreamPosition], hubInstance: String, access: AccessPolicy,
    logger: Logger
  ) throws(ZMQError) {
    self.loop = loop
    self.access = access
    self.hubInstance = hubInstance
    self.logger = logger
    self.subscriptions = SubscriptionTable(streams: heads.map(\.stream))
    self.positions = Dictionary(heads.map { ($0.stream, $0) }, uniquingKeysWith: { first, _ in first })
    self.socket = try PlaneSocket(
      .extendedPublish, domain: self.domain, in: context, connections: WireLimits.eventConnections, frames: 2,
      access: access, logger: logger)
  }

  isolated deinit {}

  /// Binds the endpoint and starts to serve.
  ///
  /// - Throws: `ZMQError`.
  public func bind(_ endpoint: IPCEndpoint) throws(ZMQError) { try self.socket.bind(endpoint, of: self) }

  /// Serves these listeners over tcp and no others; see ``NetworkPlane``.
  public func listen(_ listeners: [TCPListener]) throws(ZMQError) -> [String] { try self.socket.listen(listeners) }

  /// The number of subscriptions.
  public var subscriptionCount: Int { self.subscriptions.count }

  /// Publishes events in order. Call it in the order of the commits.
  public nonisolated func publish(_ events: [LoggedEvent]) {
    self.post { plane in
      for event in events { plane.send(event) }
    }
  }

  /// ``NetworkPlane/peers``.
  public var peers: PlaneStatus { self.socket.peers }

  /// Closes the connections.
  public func close() {
    if let headTimer { self.cancel(headTimer) }
    self.headTimer = nil
    self.socket.close()
  }

  // MARK: - Publishing

  private func send(_ event: LoggedEvent) {
    self.positions[event.header.stream]?.seq = event.header.seq
    self.send(.event(event), as: Topic.stream(event.header.stream, .pb), Topic.stream(event.header.stream, .json))
  }

  private func sendHead() {
    self.headSentAt = .now
    var head = Head()
    head.heads = self.positions.values.sorted { $0.stream < $1.stream }
    head.hubInstance = self.hubInstance
    head.intervalMs = UInt32(Self.headInterval / .milliseconds(1))
    self.send(.head(head), as: Topic.head(.pb), Topic.head(.json))
  }

  private func send(_ frame: EventFrame, as topics: Topic...) {
    for topic in topics where self.subscriptions.wants(topic) {
      do {
        let frames = try frame.encoded(topic.encoding)
        _ = self.socket.send { message throws(ZMQError) in
          for bytes in frames { try message.append(bytes) }
        }
      } catch {
        self.logger.error("event cannot be published", metadata: ["error": "\(error)"])
      }
    }
  }

  /// Publishes HEAD for a new subscriber: now, or when the shortest interval is over.
  private func announceHead() {
    let due = self.headSentAt.map { $0 + Self.leastHeadInterval } ?? .now
    guard due <= .now else { return self.armHead(at: due) }
    self.sendHead()
    self.armHead(at: .now + Self.headInterval)
  }

  /// Sets the timer, unless an earlier one is set.
  private func armHead(at due: ContinuousClock.Instant) {
    guard !self.subscriptions.isEmpty else { return }
    if let headTimer {
      guard due < headTimer.deadline else { return }
      self.cancel(headTimer)
    }
    self.headTimer = self.schedule(at: due) { plane in
      plane.headTimer = nil
      plane.sendHead()
      plane.armHead(at: .now + Self.headInterval)
    }
  }

  // MARK: - Subscriptions

  func readable() {
    var isNew = false
    self.socket.receive(atMost: 64) { result, message in
      // libzmq reports a connection before its messages, so the descriptor belongs to this connection.
      self.socket.drainMonitor(self)
      isNew = self.take(result, message) || isNew
    }
    if isNew { self.announceHead() }
  }

  /// Handles a subscription that libzmq has carried out: one byte, 1 to subscribe and 0 to unsubscribe, then the topic
  /// (ZeroMQ RFC 29).
  ///
  /// A peer that sends anything else is closed: after such a frame libzmq carries out subscriptions that it does not report
  /// separately. For a peer that is gone libzmq makes up messages without a connection; the monitor reports that end.
  ///
  /// - Returns: Whether the peer receives a topic that it did not receive before.
  private func take(_ result: ReceiveResult, _ message: borrowing MultipartMessage) -> Bool {
    if case .oversized(_, let connection?) = result { ConnectionTraffic.cut(connection) }
    guard let peer = message.connection else { return false }
    let bytes = message.bytes(at: 0)
    guard message.count == 1, let first = bytes.first, first <= 1,
      let role = self.access.principal(userID: self.socket.userID(of: message))?.role,
      role.covers(.viewer) || role == .door
    else {
      ConnectionTraffic.cut(peer)
      return false
    }
    let topic = Array(bytes.dropFirst())
    var isNew = false
    if first == 1 {
      isNew = self.subscriptions.subscribe(topic, peer: peer)
    } else {
      self.subscriptions.unsubscribe(topic, peer: peer)
    }
    if self.subscriptions.isGreedy(peer) { ConnectionTraffic.cut(peer) }
    return isNew
  }

  func note(_ event: MonitorEvent.Kind) {
    switch event {
    case .accepted(let descriptor): self.subscriptions.meet(peer: descriptor)
    case .disconnected(let descriptor): self.subscriptions.forget(peer: descriptor)
    case .closed: self.subscriptions.keep(self.socket.descriptors)
    default: break
    }
  }
}
