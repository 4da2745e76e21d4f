internal import Bus
internal import KithMessages

/// Who listens to what on the events plane.
///
/// A pure value. A peer asks for a topic; what it gets is the streams that its role may see, so a wide request is
/// narrowed and an unknown one gets nothing.
struct SubscriptionTable {
  private let topics: [[UInt8]]
  private let limitPerPeer: Int
  private var perPeer: [Int32: Int] = [:]
  /// Subscriptions by the topic that was asked for.
  private var requested: [[UInt8]: Int] = [:]
  /// Subscriptions by the topic that was granted.
  private var granted: [[UInt8]: Int] = [:]

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - streams: All that there are.
  ///   - limitPerPeer: Subscriptions that one connection may have.
  init(streams: [String], limitPerPeer: Int = WireLimits.subscriptions) {
    self.topics = [Encoding.json, .pb].flatMap { encoding in
      streams.map { Topic.stream($0, encoding).bytes } + [Topic.head(encoding).bytes]
    }
    self.limitPerPeer = limitPerPeer
  }

  /// The subscriptions that are held.
  var count: Int { self.requested.values.reduce(0, +) }

  /// Whether anybody listens to a topic.
  func wants(_ topic: Topic) -> Bool { self.granted[topic.bytes] != nil }

  /// A connection was made: whatever an earlier one with the same descriptor held is gone.
  mutating func connected(peer: Int32) { self.perPeer[peer] = nil }

  /// A peer asks for a topic.
  ///
  /// - Parameters:
  ///   - peer: The descriptor of its connection; nil when it is not known.
  ///   - role: Nil for a stranger.
  /// - Returns: The topics to subscribe it to; none when it is refused.
  mutating func subscribe(_ topic: [UInt8], peer: Int32?, role: Role?) -> [[UInt8]] {
    guard let role, role.covers(.viewer), topic.count <= WireLimits.topic else { return [] }
    let topics = self.topics(matching: topic)
    guard !topics.isEmpty else { return [] }
    // Counted also where it is refused below: when the peer leaves, libzmq gives back whatever was asked for.
    self.requested[topic, default: 0] += 1
    for topic in topics { self.granted[topic, default: 0] += 1 }
    guard let peer else { return topics }
    guard self.perPeer[peer, default: 0] < self.limitPerPeer else { return [] }
    self.perPeer[peer, default: 0] += 1
    return topics
  }

  /// A peer gives a topic back, or is gone.
  ///
  /// - Returns: The topics to unsubscribe it from.
  mutating func unsubscribe(_ topic: [UInt8], peer: Int32?) -> [[UInt8]] {
    guard let held = self.requested[topic] else { return [] }
    self.requested[topic] = held > 1 ? held - 1 : nil
    if let peer, let count = self.perPeer[peer] { self.perPeer[peer] = count > 1 ? count - 1 : nil }
    let topics = self.topics(matching: topic)
    for topic in topics {
      guard let count = self.granted[topic] else { continue }
      self.granted[topic] = count > 1 ? count - 1 : nil
    }
    return topics
  }

  /// The whole streams that a requested prefix stands for. A topic below a stream is not: filter by key locally.
  private func topics(matching prefix: [UInt8]) -> [[UInt8]] { self.topics.filter { $0.starts(with: prefix) } }
}
