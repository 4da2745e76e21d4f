internal import ZeroMQ

/// The connections of one plane, and whether another one may come in.
///
/// A pure value. libzmq tells by descriptors which connections there are, asks by addresses who may come in, and never says
/// which is which. A peer that was told to come later is cut when its time for the handshake is over, so every connection that is
/// older was let in; of the younger ones no more than were let in meanwhile.
struct ConnectionTable {
  private let limit: Int
  private var connections: [Int32: (madeAt: ContinuousClock.Instant, port: Substring)] = [:]
  /// When peers were let in; those of a long time ago are left out.
  private var admissions: [(at: ContinuousClock.Instant, isLocal: Bool)] = []

  /// How old a connection gets that is not let in, with a second to spare.
  private static let youth = HubSocket.handshakeTime + .seconds(1)

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
    case .accepted(let descriptor): self.connections[descriptor] = (now, Self.port(of: endpoint))
    case .disconnected(let descriptor): self.connections[descriptor] = nil
    case .closed:
      // A listener that goes takes its connections along, and nothing is said of them. Its address may be `0.0.0.0`, theirs is not.
      let port = Self.port(of: endpoint)
      self.connections = self.connections.filter { port.isEmpty || $0.value.port != port }
    default: break
    }
  }

  /// Whether a peer may come in whose connection was noted already; it is then taken to be in.
  ///
  /// - Parameter isLocal: Whether it is on this machine. Some places are for those alone, so that an admin always gets in who may
  ///   have to shut others out.
  mutating func admit(_ now: ContinuousClock.Instant, isLocal: Bool = true) -> Bool {
    self.admissions.removeAll { $0.at + Self.youth <= now }
    let remote = self.letIn(now, isLocal: false, asks: !isLocal)
    guard remote + self.letIn(now, isLocal: true, asks: isLocal) < self.limit,
      isLocal || remote < self.limit - WireLimits.localConnections
    else { return false }
    self.admissions.append((now, isLocal))
    return true
  }

  /// How many are in, of this machine or of others. Apart, so that strangers elsewhere are not taken for those here who were let in
  /// and have left.
  ///
  /// - Parameter asks: Whether the one that asks is among them, which is a young one.
  private func letIn(_ now: ContinuousClock.Instant, isLocal: Bool, asks: Bool) -> Int {
    let made = self.connections.values.filter { $0.port.isEmpty == isLocal }
    let young = made.count { $0.madeAt + Self.youth > now }
    let admitted = self.admissions.count { $0.isLocal == isLocal }
    return made.count - young + min(max(0, young - (asks ? 1 : 0)), admitted)
  }

  /// The port of a tcp endpoint; empty for any other.
  private static func port(of endpoint: String) -> Substring {
    guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return "" }
    return endpoint[colon...]
  }
}
