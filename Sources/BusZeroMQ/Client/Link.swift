internal import EventLoop
public import ZeroMQ

/// One connection's socket with its watch, on the loop.
///
/// A class without isolation of its own: it is reached only from the actor that made it, and so ends on the loop too.
final class Link {
  // Before the socket, because it has to go first.
  private var watch: Watch?
  private var monitorWatch: Watch?
  private var socket: Socket
  private let monitor: PollSource
  private var frames = MultipartMessage(capacity: WireLimits.frames + 2)

  /// Which of its owner's links it is, counted from 1.
  let number: Int
  /// 0 to 1: stretches the pauses of the commands that are sent by it, all alike, so that they keep their order.
  let jitter = Double.random(in: 0...1)
  /// Whether the hub lets us in.
  private(set) var admittance = Admittance()
  /// Whether nobody took the last message that was offered.
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

  /// Calls `handler` when there is something to receive, or room after ``send(_:)`` had none.
  func observe<Owner: LoopActor>(
    by owner: isolated Owner, _ handler: @escaping @Sendable (isolated Owner, Readiness) -> Void
  ) {
    self.watch = owner.watch(self.socket.source, for: .readable, handler)
  }

  /// Calls `handler` when more is known of ``admittance``.
  func observeAdmittance<Owner: LoopActor>(
    by owner: isolated Owner, _ handler: @escaping @Sendable (isolated Owner) -> Void
  ) {
    self.monitorWatch = owner.watch(self.monitor, for: .readable) { owner, _ in handler(owner) }
  }

  /// Takes up what the monitor of the socket tells.
  func drainMonitor() throws(ZMQError) {
    try self.socket.drainMonitor { self.admittance.note($0.kind, .now) }
  }

  /// Offers a message to the hub.
  ///
  /// - Returns: Whether it was taken; if not, the handler learns when it may be offered again.
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

  /// Stops waiting for room.
  func unblock() {
    guard self.isBlocked else { return }
    self.isBlocked = false
    self.watch?.setInterest(.readable)
  }

  /// Takes at most `limit` messages out of the socket; longer ones than the protocol allows are dropped.
  ///
  /// They are given back together, so that whatever handles them may send.
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

/// How a client proves over tcp who it is, and knows the hub.
public struct CurveIdentity: Sendable, Hashable {
  /// The client's own pair.
  public let keys: CurveKeyPair
  /// The hub's public key.
  public let serverKey: CurveKey

  /// Makes an identity.
  public init(keys: CurveKeyPair, serverKey: CurveKey) {
    self.keys = keys
    self.serverKey = serverKey
  }

  /// Sets a socket up, before it connects.
  func apply(to socket: inout Socket) throws(ZMQError) {
    try socket.set(.curveServerKey, self.serverKey)
    try socket.set(.curvePublicKey, self.keys.publicKey)
    try socket.set(.curveSecretKey, self.keys.secretKey)
  }
}
