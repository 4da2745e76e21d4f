/// The destination of an answer.
struct ReplyAddress {
  /// The routing id.
  let peer: [UInt8]
  let isPlainRequest: Bool
  let userID: String

  /// Returns the destination of the answer to a request.
  static func of(_ key: RequestTable.Key, _ request: RequestTable.Request) -> ReplyAddress {
    ReplyAddress(peer: key.peer, isPlainRequest: request.isPlainRequest, userID: request.principal)
  }

  /// The frames before the answer; for a REQ with an empty delimiter, zmq_socket(3).
  var envelope: [[UInt8]] { self.isPlainRequest ? [self.peer, []] : [self.peer] }
}

/// Keeps FINALs for peers whose queues are full, within bounds. A client gets a dropped FINAL by a retry.
///
/// A ROUTER cannot report that one peer became writable (zmq_setsockopt(3), ZMQ_ROUTER_MANDATORY), so they are retried
/// after a pause. A pure value: time and the send function are passed in.
struct ParkedReplies {
  /// The limits: protocol.md, "Bounds".
  struct Limits: Sendable {
    var messagesPerPeer = 64
    var bytesPerPeer = 2 << 20
    /// One owner may use a quarter of it.
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
  /// The bytes of all parked messages.
  private(set) var bytes = 0

  /// When to retry; nil if nothing is parked.
  private(set) var retryAt: ContinuousClock.Instant?

  init(limits: Limits = Limits()) { self.limits = limits }

  /// The number of parked messages.
  var count: Int { self.queues.values.reduce(0) { $0 + $1.messages.count } }

  /// Parks a message for a peer. Drops it if a limit is reached: the client will retry its request.
  ///
  /// - Parameter owner: The owner whose share it counts against; one message of each owner is always kept. nil = none.
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
    // A new message does not postpone the retry of older ones.
    self.retryAt = self.retryAt ?? now + Self.pause
  }

  /// Sends each peer's messages in order until one is not accepted.
  ///
  /// - Parameter send: Returns true if the message was accepted or its peer is gone.
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
