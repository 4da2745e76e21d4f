public import ZeroMQ

/// How a client proves over tcp who it is, and knows the hub.
public struct CurveIdentity: Sendable, Hashable {
  /// The client's own pair.
  public let keys: CurveKeyPair
  /// The hub's public key.
  public let serverKey: CurveKey

  /// Makes an identity.
  public init(keys: CurveKeyPair, serverKey: CurveKey) {
    self.keys = keys
    self.serverKey = serverKey
  }

  /// Sets a socket up, before it connects.
  func apply(to socket: inout Socket) throws(ZMQError) {
    try socket.set(.curveServerKey, self.serverKey)
    try socket.set(.curvePublicKey, self.keys.publicKey)
    try socket.set(.curveSecretKey, self.keys.secretKey)
  }
}
