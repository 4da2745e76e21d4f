public import ZeroMQ

/// A worker's own key, and the keys of its hub: the present one, and while that changes the one that follows. A pure value.
public struct HubKeys: Sendable, Hashable {
  private let own: CurveKeyPair
  /// The hub's public keys; the first is the one that is tried now.
  public private(set) var servers: [CurveKey]

  /// Makes the keys; nil without a key of the hub.
  public init?(own: CurveKeyPair, servers: [CurveKey]) {
    guard !servers.isEmpty else { return nil }
    self.own = own
    self.servers = servers
  }

  /// The proof towards the hub with the first of ``servers``.
  var identity: CurveIdentity { CurveIdentity(keys: self.own, serverKey: self.servers[0]) }

  /// Takes the next key, because what answers does not have the present one.
  ///
  /// - Returns: Whether there is another one.
  mutating func tryNext() -> Bool {
    self.servers.append(self.servers.removeFirst())
    return self.servers.count > 1
  }

  /// The present key was right, and this one follows it; nil = none does.
  ///
  /// - Returns: Whether that is news.
  mutating func expect(_ next: CurveKey?) -> Bool {
    let servers = [self.servers[0]] + (next.map { [$0] } ?? [])
    defer { self.servers = servers }
    return servers != self.servers
  }
}
