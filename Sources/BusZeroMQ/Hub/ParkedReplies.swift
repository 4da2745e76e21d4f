/// Where an answer goes.
struct ReplyAddress {
  /// The routing id.
  let peer: [UInt8]
  let isPlainRequest: Bool
  let userID: String

  /// To whom a request is answered.
  static func of(_ key: RequestTable.Key, _ request: RequestTable.Request) -> ReplyAddress {
    ReplyAddress(peer: key.peer, isPlainRequest: request.isPlainRequest, userID: request.principal)
  }

  /// The frames before the answer. A REQ has an empty one between, zmq_socket(3).
  var envelope: [[UInt8]] { self.isPlainRequest ? [self.peer, []] : [self.peer] }
}

/// FINALs for peers whose queues are full: few are kept for a while, more can be asked for again.
///
/// A ROUTER has no way to say that one peer became writable (zmq_setsockopt(3), ZMQ_ROUTER_MANDATORY), so they are tried
/// again after a pause. A pure value: time and the socket come in.
struct ParkedReplies {
  /// What is kept at most: protocol.md, "Bounds".
  struct Limits: Sendable {
    var messagesPerPeer = 64
    var bytesPerPeer = 2 << 20
    /// A quarter of it those of an owner.
    var bytes = ClientMemory().parked
  }

  private static let pause = Duration.milliseconds(50)

  private struct Queue {
    var owner: String?
    var messages: ArraySlice<[[UInt8]]> = []
    var bytes = 0
  }

  private let limits: Limits
  private var queues: [[UInt8]: Queue] = [:]
  /// Of all that is parked.
  private(set) var bytes = 0

  /// When to try again; nil while nothing is parked.
  private(set) var retryAt: ContinuousClock.Instant?

  init(limits: Limits = Limits()) { self.limits = limits }

  /// How many messages are parked.
  var count: Int { self.queues.values.reduce(0) { $0 + $1.messages.count } }

  /// Keeps a message for a peer; drops it when too much waits already, since its sender will ask again.
  ///
  /// - Parameter owner: Whose share it counts against, of which one message alone may always wait; nil = nobody's.
  mutating func park(_ message: [[UInt8]], for peer: [UInt8], of owner: String? = nil, now: ContinuousClock.Instant) {
    let size = Self.size(message)
    let queue = self.queues[peer] ?? Queue(owner: owner)
    let owned = owner == nil ? 0 : self.queues.values.reduce(0) { $1.owner == owner ? $0 + $1.bytes : $0 }
    guard queue.messages.count < self.limits.messagesPerPeer, queue.bytes + size <= self.limits.bytesPerPeer,
      owned == 0 || owned + size <= self.limits.bytes / 4,
      self.bytes + size <= self.limits.bytes || owner != nil && owned == 0
    else { return }
    self.queues[peer] = queue
    self.queues[peer]?.messages.append(message)
    self.queues[peer]?.bytes += size
    self.bytes += size
    // What waits already is not put off by what comes.
    self.retryAt = self.retryAt ?? now + Self.pause
  }

  /// Tries each peer's messages in order until one is refused.
  ///
  /// - Parameter send: Whether the message is dealt with: taken, or its peer is gone.
  mutating func retry(now: ContinuousClock.Instant, _ send: ([[UInt8]]) -> Bool) {
    guard let retryAt = self.retryAt, retryAt <= now else { return }
    for (peer, var queue) in self.queues {
      while let message = queue.messages.first, send(message) {
        queue.messages.removeFirst()
        queue.bytes -= Self.size(message)
        self.bytes -= Self.size(message)
      }
      self.queues[peer] = queue.messages.isEmpty ? nil : queue
    }
    self.retryAt = self.queues.isEmpty ? nil : now + Self.pause
  }

  private static func size(_ message: [[UInt8]]) -> Int { message.reduce(0) { $0 + $1.count } }
}
