internal import ZeroMQ

/// An authenticated peer that is admitted if there is room.
struct Arrival: Sendable, Hashable {
  /// The user id of its messages.
  let userID: String
  /// Whether it is on this machine. Some connections are reserved for this machine, so that its admin always gets in.
  let isLocal: Bool
  /// The most connections of its user id to a plane; nil = no limit.
  let share: Int?
}

/// The connections of one plane and their users; decides whether another peer is admitted.
///
/// A pure value. libzmq reports connections by descriptor, asks for admission by address, and never relates the two. A
/// peer that was told to come later is closed when its handshake time is over, so every older connection was admitted; of
/// the younger ones at most as many as were admitted in that time.
///
/// The first message of a connection shows its user. Until then the connection is silent: it counts as its user's during
/// its handshake time, and afterwards it is closed for a new peer if all connections are used. So no user gets more than
/// its share by staying silent.
struct ConnectionTable {
  /// The decision about a peer.
  enum Admission: Hashable {
    /// The peer is admitted; the given connection has to be closed for it.
    case letIn(cutting: Int32?)
    /// No connection is left for this peer.
    case later
  }

  private struct Connection {
    let madeAt: ContinuousClock.Instant
    /// The port of its listener; empty over ipc.
    let port: Substring
    /// nil while it is silent.
    var userID: String?

    var isLocal: Bool { self.port.isEmpty }
  }

  private struct Admitted {
    let at: ContinuousClock.Instant
    let arrival: Arrival
    /// Whether its first message has arrived.
    var isHeard = false
  }

  private let limit: Int
  private var connections: [Int32: Connection] = [:]
  /// The recent connections that were closed before one of their messages was read, with their creation times. Their
  /// messages may still arrive; the first one shows that the connection was not silent.
  private var endedUnheard: [Int32: ContinuousClock.Instant] = [:]
  /// The recent admissions.
  private var admissions: [Admitted] = []

  /// The longest life of a connection that is not admitted, plus one second.
  static let youth = PlaneSocket.handshakeTime + .seconds(1)

  /// Makes an empty table.
  ///
  /// - Parameter limit: The most connections.
  init(limit: Int) { self.limit = limit }

  /// The number of connections, including those in their handshake.
  var count: Int { self.connections.count }

  /// Their descriptors.
  var descriptors: some Collection<Int32> { self.connections.keys }

  /// Handles an event of a connection.
  ///
  /// - Parameter endpoint: The local endpoint as libzmq spells it.
  mutating func note(_ event: MonitorEvent.Kind, at endpoint: String = "", now: ContinuousClock.Instant) {
    switch event {
    case .accepted(let descriptor):
      self.connections[descriptor] = Connection(madeAt: now, port: Self.port(of: endpoint))
      self.endedUnheard[descriptor] = nil
    case .disconnected(let descriptor):
      let ended = self.connections.removeValue(forKey: descriptor)
      if let ended, ended.userID == nil { self.endedUnheard[descriptor] = ended.madeAt }
    case .closed:
      // A closed listener closes its connections without events. Its address may be `0.0.0.0`, theirs is not.
      let port = Self.port(of: endpoint)
      self.connections = self.connections.filter { port.isEmpty || $0.value.port != port }
    default: break
    }
  }

  /// Records the user of a connection. Call it for every message: its descriptor may belong to a new connection by now.
  ///
  /// - Parameters:
  ///   - descriptor: nil if libzmq no longer knows it.
  ///   - share: As in ``Arrival``.
  /// - Returns: The connection to close: this was its first message, and its user already had its full share of
  ///   connections; nil otherwise.
  mutating func heard(
    _ userID: String, by descriptor: Int32?, share: @autoclosure () -> Int?,
    now: @autoclosure () -> ContinuousClock.Instant = .now
  ) -> Int32? {
    // Closed connections may leave many messages; these two lines keep each of them cheap.
    guard let descriptor, self.connections[descriptor]?.userID == nil else { return nil }
    let connection = self.connections[descriptor]
    guard let madeAt = connection?.madeAt ?? self.endedUnheard.removeValue(forKey: descriptor) else { return nil }
    if madeAt + Self.youth > now() {
      // Its admission is still recorded. Without one the message is from an earlier connection with this descriptor.
      let index = self.admissions.firstIndex { !$0.isHeard && $0.arrival.userID == userID }
      guard let index else { return nil }
      self.admissions[index].isHeard = true
    }
    guard connection != nil else { return nil }
    if let share = share(), self.heard(userID) >= share {
      self.connections[descriptor] = nil
      return descriptor
    }
    self.connections[descriptor]?.userID = userID
    return nil
  }

  private func heard(_ userID: String) -> Int { self.connections.values.count { $0.userID == userID } }

  /// Decides whether to admit a peer whose connection was recorded already, and counts it as admitted.
  mutating func admit(_ arrival: Arrival, now: ContinuousClock.Instant) -> Admission {
    self.admissions.removeAll { $0.at + Self.youth <= now }
    self.endedUnheard = self.endedUnheard.filter { $0.value + Self.youth > now }
    if let share = arrival.share {
      let silent = self.admissions.count { !$0.isHeard && $0.arrival.userID == arrival.userID }
      guard self.heard(arrival.userID) + silent < share else { return .later }
    }
    let remote = self.letIn(now, isLocal: false, asks: !arrival.isLocal)
    let local = self.letIn(now, isLocal: true, asks: arrival.isLocal)
    var cut: Int32?
    if remote + local >= self.limit || !arrival.isLocal && remote >= self.limit - WireLimits.localConnections {
      cut = self.oldestSilent(now, isLocal: false) ?? (arrival.isLocal ? self.oldestSilent(now, isLocal: true) : nil)
      guard let cut else { return .later }
      self.connections[cut] = nil
    }
    self.admissions.append(Admitted(at: now, arrival: arrival))
    return .letIn(cutting: cut)
  }

  private func oldestSilent(_ now: ContinuousClock.Instant, isLocal: Bool) -> Int32? {
    let silent = self.connections.filter { _, connection in
      connection.userID == nil && connection.isLocal == isLocal && connection.madeAt + Self.youth <= now
    }
    return silent.min { ($0.value.madeAt, $0.key) < ($1.value.madeAt, $1.key) }?.key
  }

  /// The number of admitted connections of this machine, or of others. Counted separately, so that unknown remote peers
  /// are not mistaken for local peers that were admitted and have left.
  ///
  /// - Parameter asks: Whether the peer that is being decided about is one of them; it is young.
  private func letIn(_ now: ContinuousClock.Instant, isLocal: Bool, asks: Bool) -> Int {
    let made = self.connections.values.filter { $0.isLocal == isLocal }
    let young = made.count { $0.madeAt + Self.youth > now }
    let admitted = self.admissions.count { $0.arrival.isLocal == isLocal }
    return made.count - young + min(max(0, young - (asks ? 1 : 0)), admitted)
  }

  /// The port of a tcp endpoint; empty for other transports.
  private static func port(of endpoint: String) -> Substring {
    guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return "" }
    return endpoint[colon...]
  }
}

extension ConnectionTable {
  /// Records the connection of a message, and closes it if its user exceeds its share.
  ///
  /// - Returns: The user id of the message; empty if it has none.
  mutating func hear(_ message: borrowing MultipartMessage, _ access: AccessPolicy) -> String {
    let (userID, connection) = (message.userID ?? "", message.connection)
    if let connection, self.connections[connection]?.userID == userID { return userID }
    if let beyond = self.heard(userID, by: connection, share: access.share(of: userID)) {
      ConnectionTraffic.cut(beyond)
    } else if let connection, let owner = access.owner(of: userID) {
      ConnectionTraffic.setOwner(of: connection, to: owner)
    }
    return userID
  }
}

extension ConnectionTable.Admission {
  /// Closes the connection that makes room.
  ///
  /// - Returns: Whether the peer is admitted.
  func carryOut() -> Bool {
    guard case .letIn(let cut) = self else { return false }
    if let cut { ConnectionTraffic.cut(cut) }
    return true
  }
}
