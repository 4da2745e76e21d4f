/// FINALs for peers whose queues are full: few are kept for a while, more can be asked for again.
///
/// A ROUTER has no way to say that one peer became writable (zmq_setsockopt(3), ZMQ_ROUTER_MANDATORY), so they are tried
/// again after a pause. A pure value: time and the socket come in.
struct ParkedReplies {
  /// What is kept at most: protocol.md, "Bounds".
  struct Limits: Sendable {
    var messagesPerPeer = 64
    var bytesPerPeer = 2 << 20
    var bytes = ClientMemory().parked
  }

  private static let pause = Duration.milliseconds(50)

  private struct Queue {
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
  mutating func park(_ message: [[UInt8]], for peer: [UInt8], now: ContinuousClock.Instant) {
    let size = Self.size(message)
    let queue = self.queues[peer] ?? Queue()
    guard queue.messages.count < self.limits.messagesPerPeer, queue.bytes + size <= self.limits.bytesPerPeer,
      self.bytes + size <= self.limits.bytes
    else { return }
    self.queues[peer, default: Queue()].messages.append(message)
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
