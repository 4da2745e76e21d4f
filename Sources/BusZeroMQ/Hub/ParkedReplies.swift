/// FINALs for peers whose queues are full: few are kept for a while, more can be asked for again.
///
/// A ROUTER has no way to say that one peer became writable (zmq_setsockopt(3), ZMQ_ROUTER_MANDATORY), so they are tried
/// again after a pause.
struct ParkedReplies {
  private static let perPeer = 64
  private static let pause = Duration.milliseconds(50)

  private var queues: [[UInt8]: [[[UInt8]]]] = [:]

  /// When to try again; nil while nothing is parked.
  private(set) var retryAt: ContinuousClock.Instant?

  /// Keeps a message for a peer; drops it when too many wait already, since its sender will ask again.
  mutating func park(_ message: [[UInt8]], for peer: [UInt8]) {
    guard self.queues[peer, default: []].count < Self.perPeer else { return }
    self.queues[peer, default: []].append(message)
    self.retryAt = .now + Self.pause
  }

  /// Tries each peer's messages in order until one is refused.
  ///
  /// - Parameter send: Whether the message is dealt with: taken, or its peer is gone.
  mutating func retry(_ send: ([[UInt8]]) -> Bool) {
    for (peer, queue) in self.queues {
      let rest = queue.drop(while: send)
      self.queues[peer] = rest.isEmpty ? nil : Array(rest)
    }
    self.retryAt = self.queues.isEmpty ? nil : .now + Self.pause
  }
}
