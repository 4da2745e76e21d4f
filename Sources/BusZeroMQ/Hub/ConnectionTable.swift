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
  private var admissions: [ContinuousClock.Instant] = []

  /// How old a connection gets that is not let in, with a second to spare.
  private static let youth = HubSocket.handshakeTime + .seconds(1)

  /// Makes an empty table.
  ///
  /// - Parameter limit: Connections that may be let in.
  init(limit: Int) { self.limit = limit }

  /// Connections there are, those that wait to be let in among them.
  var count: Int { self.connections.count }

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
    self.admissions.removeAll { $0 + Self.youth <= now }
    let young = self.connections.values.count { $0.madeAt + Self.youth > now }
    // Among the young is the one that asks.
    let letIn = self.connections.count - young + min(max(0, young - 1), self.admissions.count)
    guard letIn < self.limit - (isLocal ? 0 : WireLimits.localConnections) else { return false }
    self.admissions.append(now)
    return true
  }

  /// The port of a tcp endpoint; empty for any other.
  private static func port(of endpoint: String) -> Substring {
    guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return "" }
    return endpoint[colon...]
  }
}
