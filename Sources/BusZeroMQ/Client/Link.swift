internal import EventLoop
public import ZeroMQ

/// The socket of one connection with its watches, on the event loop.
///
/// A class without its own isolation: only the actor that made it uses it, so it ends on the event loop too.
final class Link {
  // Declared before the socket, because it must be destroyed first.
  private var watch: Watch?
  private var monitorWatch: Watch?
  private var socket: Socket
  private let monitor: PollSource
  private var frames = MultipartMessage(capacity: WireLimits.frames + 2)

  /// The number of the link in its owner, from 1.
  let number: Int
  /// 0 to 1: the jitter of all retries on this link; one value for all, so that commands keep their order.
  let jitter = Double.random(in: 0...1)
  /// Whether the hub admits this client.
  private(set) var admittance = Admittance()
  /// Whether the socket did not accept the last message.
  private(set) var isBlocked = false

  /// Connects a socket with the options that every peer of a hub sets. docs/protocol.md, 1.
  init(
    _ kind: SocketKind, number: Int, in context: Context, to endpoint: String, as identity: CurveIdentity? = nil,
    topics: [Topic] = [], linger: Duration = .zero
  ) throws(ZMQError) {
    self.number = number
    var socket = try context.makeSocket(kind)
    try socket.set(.linger, linger)
    try socket.set(.immediate, true)
    try socket.set(.sendHighWaterMark, 64)
    try socket.set(.receiveHighWaterMark, kind == .subscribe ? 1000 : 256)
    try socket.set(.reconnectInterval, .milliseconds(100))
    try socket.set(.maximumReconnectInterval, .seconds(5))
    try socket.endDeadConnections()
    for topic in topics { try socket.set(.subscribe, topic.bytes) }
    try identity?.apply(to: &socket)
    self.monitor = try socket.startMonitor([.connections, .handshakes])
    try socket.connect(endpoint)
    self.socket = socket
  }

  /// Calls `handler` when a message has arrived, or when there is room again after ``send(_:)`` returned false.
  func observe<Owner: LoopActor>(
    by owner: isolated Owner, _ handler: @escaping @Sendable (isolated Owner, Readiness) -> Void
  ) {
    self.watch = owner.watch(self.socket.source, for: .readable, handler)
  }

  /// Calls `handler` when ``admittance`` may change.
  func observeAdmittance<Owner: LoopActor>(
    by owner: isolated Owner, _ handler: @escaping @Sendable (isolated Owner) -> Void
  ) {
    self.monitorWatch = owner.watch(self.monitor, for: .readable) { owner, _ in handler(owner) }
  }

  /// Reads the events of the socket's monitor.
  func drainMonitor() throws(ZMQError) {
    try self.socket.drainMonitor { self.admittance.note($0.kind, .now) }
  }

  /// Sends a message if the socket has room.
  ///
  /// - Returns: false if there is no room; the handler is called when there is.
  func send(_ message: [[UInt8]]) throws(ZMQError) -> Bool {
    self.frames.removeAll()
    for frame in message { try self.frames.append(frame) }
    let isTaken = try self.socket.send(&self.frames) == .sent
    if isTaken == self.isBlocked {
      self.isBlocked = !isTaken
      self.watch?.setInterest(isTaken ? .readable : [.readable, .writable])
    }
    return isTaken
  }

  /// Stops watching for room.
  func unblock() {
    guard self.isBlocked else { return }
    self.isBlocked = false
    self.watch?.setInterest(.readable)
  }

  /// Receives at most `limit` messages. Messages that are longer than the protocol allows are dropped.
  ///
  /// They are returned together, so that their handler may send.
  func receive(limit: Int = 64) throws(ZMQError) -> [[[UInt8]]] {
    var messages: [[[UInt8]]] = []
    for _ in 0..<limit {
      switch try self.socket.receive(&self.frames) {
      case .empty: return messages
      case .oversized: break
      case .received: messages.append((0..<self.frames.count).map { self.frames.bytes(at: $0) })
      }
    }
    self.frames.removeAll()
    return messages
  }
}

/// The keys with which a client authenticates over tcp and recognizes the hub.
///
/// ```swift
/// let identity = CurveIdentity(keys: try CurveKeyPair.random(), serverKey: hubKey)
/// ```
public struct CurveIdentity: Sendable, Hashable {
  /// The client's key pair.
  public let keys: CurveKeyPair
  /// The hub's public key.
  public let serverKey: CurveKey

  /// Makes an identity.
  public init(keys: CurveKeyPair, serverKey: CurveKey) {
    self.keys = keys
    self.serverKey = serverKey
  }

  /// Sets the keys of a socket before it connects.
  func apply(to socket: inout Socket) throws(ZMQError) {
    try socket.set(.curveServerKey, self.serverKey)
    try socket.set(.curvePublicKey, self.keys.publicKey)
    try socket.set(.curveSecretKey, self.keys.secretKey)
  }
}
