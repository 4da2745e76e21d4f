internal import Bus
internal import KithMessages

/// Who listens to what on the events plane.
///
/// A pure value. libzmq sends a peer every message that begins with one of its subscriptions; this says for which of the
/// hub's topics there is one, and which peer holds more of them than it may.
struct SubscriptionTable {
  private let topics: [[UInt8]]
  private let limitPerPeer: Int
  private var peers: [Int32: Peer] = [:]
  /// How many connections listen to each topic.
  private var listeners: [[UInt8]: Int] = [:]

  /// What a connection subscribes to.
  private struct Peer {
    /// The hub's topics that each of its prefixes stands for: none for a prefix that is of no topic. Once each, although libzmq also
    /// reports a prefix that the peer holds already.
    var prefixes: [[UInt8]: [[UInt8]]] = [:]
    /// How often it ended a subscription that it did not have.
    var strays = 0
    var isGreedy = false

    var topics: Set<[UInt8]> { Set(self.prefixes.values.joined()) }
  }

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

  /// Whether a connection subscribed to so much, or to a prefix so long, that it has to be cut: libzmq keeps each.
  func isGreedy(_ peer: Int32) -> Bool { self.peers[peer]?.isGreedy ?? false }

  /// The subscriptions to topics of the hub.
  var count: Int { self.peers.values.reduce(0) { $0 + $1.prefixes.values.count { !$0.isEmpty } } }

  /// Whether nobody listens.
  var isEmpty: Bool { self.listeners.isEmpty }

  /// Whether anybody listens to a topic.
  func wants(_ topic: Topic) -> Bool { self.listeners[topic.bytes] != nil }

  /// A connection is there, maybe under the descriptor of another one that has ended.
  mutating func meet(peer: Int32) {
    self.forget(peer: peer)
    self.peers[peer] = Peer()
  }

  /// A peer has subscribed to what begins with a prefix. libzmq reports that also when the peer has gone meanwhile, and tells of
  /// its end once only: then it counts for nothing.
  ///
  /// - Parameter peer: The descriptor of its connection.
  /// - Returns: Whether it listens to a topic that it did not listen to before.
  mutating func subscribe(_ prefix: [UInt8], peer: Int32) -> Bool {
    guard let known = self.peers[peer], known.prefixes[prefix] == nil else { return false }
    guard prefix.count <= WireLimits.topic, known.prefixes.count < self.limitPerPeer else {
      self.peers[peer]?.isGreedy = true
      return false
    }
    self.peers[peer]?.prefixes[prefix] = self.topics.filter { $0.starts(with: prefix) }
    return self.count(peer, since: known.topics)
  }

  /// A peer has ended a subscription. One that it did not have is an error of its library, or a flood that libzmq keeps until it is read.
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

  /// A connection has ended.
  mutating func forget(peer: Int32) {
    guard let known = self.peers.removeValue(forKey: peer)?.topics else { return }
    self.count(peer, since: known)
  }

  /// Forgets the connections that are not among these.
  mutating func keep(_ peers: some Collection<Int32>) {
    for peer in Set(self.peers.keys).subtracting(peers) { self.forget(peer: peer) }
  }

  /// Counts the listeners of each topic after a change of one peer.
  ///
  /// - Parameter before: The topics that it listened to.
  /// - Returns: Whether it listens to another one.
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
