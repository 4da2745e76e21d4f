internal import Bus
internal import KithMessages

/// The subscriptions of each peer on the events plane.
///
/// A pure value. libzmq sends a peer every message that begins with one of its subscriptions; this table knows which of
/// the hub's topics have subscribers, and which peer has too many subscriptions.
struct SubscriptionTable {
  private let topics: [[UInt8]]
  private let limitPerPeer: Int
  private var peers: [Int32: Peer] = [:]
  /// The number of subscribed connections of each topic.
  private var listeners: [[UInt8]: Int] = [:]

  /// The subscriptions of one connection.
  private struct Peer {
    /// The hub's topics that each subscribed prefix matches; empty for a prefix without a topic. Each prefix once, although
    /// libzmq also reports a prefix that the peer holds already.
    var prefixes: [[UInt8]: [[UInt8]]] = [:]
    /// How often the peer ended a subscription that it did not have.
    var strays = 0
    var isGreedy = false

    var topics: Set<[UInt8]> { Set(self.prefixes.values.joined()) }
  }

  /// Makes an empty table.
  ///
  /// - Parameters:
  ///   - streams: All streams.
  ///   - limitPerPeer: The most subscriptions of one connection.
  init(streams: [String], limitPerPeer: Int = WireLimits.subscriptions) {
    self.topics = [Encoding.json, .pb].flatMap { encoding in
      streams.map { Topic.stream($0, encoding).bytes } + [Topic.head(encoding).bytes]
    }
    self.limitPerPeer = limitPerPeer
  }

  /// Whether a connection has to be closed because of too many or too long subscriptions; libzmq stores each of them.
  func isGreedy(_ peer: Int32) -> Bool { self.peers[peer]?.isGreedy ?? false }

  /// The number of subscriptions to topics of the hub.
  var count: Int { self.peers.values.reduce(0) { $0 + $1.prefixes.values.count { !$0.isEmpty } } }

  /// Whether no connection is subscribed to a topic.
  var isEmpty: Bool { self.listeners.isEmpty }

  /// Whether a connection is subscribed to this topic.
  func wants(_ topic: Topic) -> Bool { self.listeners[topic.bytes] != nil }

  /// Adds a connection, whose descriptor may be that of a closed one.
  mutating func meet(peer: Int32) {
    self.forget(peer: peer)
    self.peers[peer] = Peer()
  }

  /// Adds a subscription. libzmq also reports subscriptions of a peer that has disconnected, and reports its end only once;
  /// such a subscription is ignored.
  ///
  /// - Parameter peer: The descriptor of its connection.
  /// - Returns: Whether the peer receives a topic that it did not receive before.
  mutating func subscribe(_ prefix: [UInt8], peer: Int32) -> Bool {
    guard let known = self.peers[peer], known.prefixes[prefix] == nil else { return false }
    guard prefix.count <= WireLimits.topic, known.prefixes.count < self.limitPerPeer else {
      self.peers[peer]?.isGreedy = true
      return false
    }
    self.peers[peer]?.prefixes[prefix] = self.topics.filter { $0.starts(with: prefix) }
    return self.count(peer, since: known.topics)
  }

  /// Removes a subscription. A peer that ends subscriptions it does not have may flood libzmq with them.
  mutating func unsubscribe(_ prefix: [UInt8], peer: Int32) {
    guard let known = self.peers[peer] else { return }
    guard known.prefixes[prefix] != nil else {
      self.peers[peer]?.strays += 1
      if known.strays >= self.limitPerPeer { self.peers[peer]?.isGreedy = true }
      return
    }
    self.peers[peer]?.prefixes[prefix] = nil
    self.count(peer, since: known.topics)
  }

  /// Removes a connection.
  mutating func forget(peer: Int32) {
    guard let known = self.peers.removeValue(forKey: peer)?.topics else { return }
    self.count(peer, since: known)
  }

  /// Removes the connections that are not in `peers`.
  mutating func keep(_ peers: some Collection<Int32>) {
    for peer in Set(self.peers.keys).subtracting(peers) { self.forget(peer: peer) }
  }

  /// Updates the number of subscribers of each topic after a change of one peer.
  ///
  /// - Parameter before: The topics that the peer received before.
  /// - Returns: Whether the peer receives a new topic.
  @discardableResult
  private mutating func count(_ peer: Int32, since before: Set<[UInt8]>) -> Bool {
    let after = self.peers[peer]?.topics ?? []
    let gained = after.subtracting(before)
    for topic in gained { self.listeners[topic, default: 0] += 1 }
    for topic in before.subtracting(after) {
      self.listeners[topic] = self.listeners[topic].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
    return !gained.isEmpty
  }
}
