internal import Bus
internal import KithMessages

/// Who listens to what on the events plane.
///
/// A pure value. A peer asks for a topic; what it gets is the streams that its role may see, so a wide request is
/// narrowed and an unknown one gets nothing.
struct SubscriptionTable {
  private let topics: [[UInt8]]
  private let limitPerPeer: Int
  /// The topics that each connection asked for, by its descriptor; once each, although libzmq also reports a topic that
  /// the peer holds already.
  private var requested: [Int32: Set<[UInt8]>] = [:]
  /// How often a connection was refused a topic.
  private var refusals: [Int32: Int] = [:]
  /// How many connections each topic was granted to.
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

  /// Whether a connection asks for so much that it has to be cut: libzmq keeps what is refused as well.
  func isGreedy(_ peer: Int32) -> Bool { self.refusals[peer, default: 0] > WireLimits.refusedSubscriptions }

  /// The subscriptions that are held.
  var count: Int { self.requested.values.reduce(0) { $0 + $1.count } }

  /// Whether anybody listens to a topic.
  func wants(_ topic: Topic) -> Bool { self.granted[topic.bytes] != nil }

  /// A connection is there, maybe under the descriptor of another one that has ended.
  mutating func meet(peer: Int32) {
    self.forget(peer: peer)
    self.requested[peer] = []
  }

  /// A peer asks for a topic. libzmq hands that on also when the peer has gone meanwhile, and tells of its end once
  /// only: then it gets nothing.
  ///
  /// - Parameters:
  ///   - peer: The descriptor of its connection.
  ///   - role: Nil for a stranger.
  /// - Returns: The topics to subscribe it to; none when it is refused, or holds them all.
  mutating func subscribe(_ topic: [UInt8], peer: Int32, role: Role?) -> [[UInt8]] {
    guard let held = self.requested[peer] else { return [] }
    guard let role, role.covers(.viewer), !self.topics(matching: topic).isEmpty,
      held.contains(topic) || held.count < self.limitPerPeer
    else {
      self.refusals[peer, default: 0] += topic.count > WireLimits.topic ? WireLimits.refusedSubscriptions + 1 : 1
      return []
    }
    return self.change(peer, to: held.union([topic])).gained
  }

  /// A peer gives a topic back.
  ///
  /// - Returns: The topics to unsubscribe it from: those that nothing else it asked for stands for.
  mutating func unsubscribe(_ topic: [UInt8], peer: Int32) -> [[UInt8]] {
    guard let held = self.requested[peer] else { return [] }
    return self.change(peer, to: held.subtracting([topic])).lost
  }

  /// A connection has ended.
  mutating func forget(peer: Int32) {
    self.change(peer, to: [])
    self.requested[peer] = nil
    self.refusals[peer] = nil
  }

  /// Forgets the connections that are not among these.
  mutating func keep(_ peers: some Collection<Int32>) {
    for peer in Set(self.requested.keys).subtracting(peers) { self.forget(peer: peer) }
  }

  /// - Returns: The topics that the peer has since, and those that it has no more.
  @discardableResult
  private mutating func change(
    _ peer: Int32, to requested: Set<[UInt8]>
  ) -> (gained: [[UInt8]], lost: [[UInt8]]) {
    let before = self.topics(matchingAny: self.requested[peer] ?? [])
    let after = self.topics(matchingAny: requested)
    self.requested[peer] = requested
    let gained = after.subtracting(before)
    for topic in gained { self.granted[topic, default: 0] += 1 }
    let lost = before.subtracting(after)
    for topic in lost { self.granted[topic] = self.granted[topic].flatMap { $0 > 1 ? $0 - 1 : nil } }
    return (Array(gained), Array(lost))
  }

  /// The whole streams that a requested prefix stands for. A topic below a stream is not: filter by key locally.
  private func topics(matching prefix: [UInt8]) -> [[UInt8]] { self.topics.filter { $0.starts(with: prefix) } }

  private func topics(matchingAny prefixes: Set<[UInt8]>) -> Set<[UInt8]> {
    Set(prefixes.flatMap { self.topics(matching: $0) })
  }
}
