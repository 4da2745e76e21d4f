internal import ZeroMQ

/// A peer that has shown who it is, and comes in if there is room.
struct Arrival: Sendable, Hashable {
  /// Its user id, as on each of its messages.
  let userID: String
  /// Whether it is on this machine. Some places are for those alone, so that an admin always gets in who may have to shut others out.
  let isLocal: Bool
  /// Connections that its user id may have to a plane; nil = as many as there is room for.
  let share: Int?
}

/// The connections of one plane, whose they are, and whether another one may come in.
///
/// A pure value. libzmq tells by descriptors which connections there are, asks by addresses who may come in, and never says
/// which is which. A peer that was told to come later is cut when its time for the handshake is over, so every connection that is
/// older was let in; of the younger ones no more than were let in meanwhile.
///
/// Whose a connection is, its first message tells. Until it has sent one it is silent: it counts as its user's while its handshake
/// may last, and afterwards it is cut for a new peer if all places are taken. So nobody gets more than its share by saying
/// nothing.
struct ConnectionTable {
  /// What becomes of a peer that comes.
  enum Admission: Hashable {
    /// It is let in; where a connection is named, that one is to be cut for it.
    case letIn(cutting: Int32?)
    /// All places that it may have are taken.
    case later
  }

  private struct Connection {
    let madeAt: ContinuousClock.Instant
    /// Of its listener; empty over ipc.
    let port: Substring
    /// Nil while it is silent.
    var userID: String?

    var isLocal: Bool { self.port.isEmpty }
  }

  private struct Admitted {
    let at: ContinuousClock.Instant
    let arrival: Arrival
    /// Whether its first message has come.
    var isHeard = false
  }

  private let limit: Int
  private var connections: [Int32: Connection] = [:]
  /// Connections that ended before a message of theirs was read, with the times at which they were made; the old ones are left out.
  /// What such a one sent may still be there, and its first message shows that it was not silent.
  private var endedUnheard: [Int32: ContinuousClock.Instant] = [:]
  /// Who was let in; those of a long time ago are left out.
  private var admissions: [Admitted] = []

  /// How old a connection gets that is not let in, with a second to spare.
  static let youth = PlaneSocket.handshakeTime + .seconds(1)

  /// Makes an empty table.
  ///
  /// - Parameter limit: Connections that may be let in.
  init(limit: Int) { self.limit = limit }

  /// Connections there are, those that wait to be let in among them.
  var count: Int { self.connections.count }

  /// Their descriptors.
  var descriptors: some Collection<Int32> { self.connections.keys }

  /// Takes up what happened to a connection.
  ///
  /// - Parameter endpoint: The near end, as libzmq spells it.
  mutating func note(_ event: MonitorEvent.Kind, at endpoint: String = "", now: ContinuousClock.Instant) {
    switch event {
    case .accepted(let descriptor):
      self.connections[descriptor] = Connection(madeAt: now, port: Self.port(of: endpoint))
      self.endedUnheard[descriptor] = nil
    case .disconnected(let descriptor):
      let ended = self.connections.removeValue(forKey: descriptor)
      if let ended, ended.userID == nil { self.endedUnheard[descriptor] = ended.madeAt }
    case .closed:
      // A listener that goes takes its connections along, and nothing is said of them. Its address may be `0.0.0.0`, theirs is not.
      let port = Self.port(of: endpoint)
      self.connections = self.connections.filter { port.isEmpty || $0.value.port != port }
    default: break
    }
  }

  /// Takes up whose a connection is. To be called for every message: its descriptor may stand for another connection by now.
  ///
  /// - Parameters:
  ///   - descriptor: Nil when libzmq does not know it any more.
  ///   - share: As in ``Arrival``.
  /// - Returns: The descriptor of a connection to cut: its first message came when its user had its full share of connections
  ///   already; nil otherwise.
  mutating func heard(
    _ userID: String, by descriptor: Int32?, share: @autoclosure () -> Int?,
    now: @autoclosure () -> ContinuousClock.Instant = .now
  ) -> Int32? {
    // Many messages may be left of connections that have ended: each costs no more than these two lines.
    guard let descriptor, self.connections[descriptor]?.userID == nil else { return nil }
    let connection = self.connections[descriptor]
    guard let madeAt = connection?.madeAt ?? self.endedUnheard.removeValue(forKey: descriptor) else { return nil }
    if madeAt + Self.youth > now() {
      // Its admission is there still. Without one the message is left of an earlier connection with this descriptor.
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

  /// Whether a peer may come in whose connection was noted already; it is then taken to be in.
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

  /// How many are in, of this machine or of others. Apart, so that strangers elsewhere are not taken for those here who were let in
  /// and have left.
  ///
  /// - Parameter asks: Whether the one that asks is among them, which is a young one.
  private func letIn(_ now: ContinuousClock.Instant, isLocal: Bool, asks: Bool) -> Int {
    let made = self.connections.values.filter { $0.isLocal == isLocal }
    let young = made.count { $0.madeAt + Self.youth > now }
    let admitted = self.admissions.count { $0.arrival.isLocal == isLocal }
    return made.count - young + min(max(0, young - (asks ? 1 : 0)), admitted)
  }

  /// The port of a tcp endpoint; empty for any other.
  private static func port(of endpoint: String) -> Substring {
    guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return "" }
    return endpoint[colon...]
  }
}

extension ConnectionTable {
  /// Takes up by which connection a message came, and cuts it where its user has more than its share.
  ///
  /// - Returns: The user id of the message; empty where it has none.
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
  /// Cuts what has to give way.
  ///
  /// - Returns: Whether the peer may come in.
  func carryOut() -> Bool {
    guard case .letIn(let cut) = self else { return false }
    if let cut { ConnectionTraffic.cut(cut) }
    return true
  }
}
