/// A peer that wants to connect, as the ZAP handler is asked about it. ZeroMQ RFC 27.
public struct ZAPRequest: Hashable, Sendable {
  /// How a peer identifies itself.
  public enum Credentials: Hashable, Sendable {
    /// Not at all; over ipc the address still names the process.
    case null
    /// By a name and a password, sent in the clear.
    case plain(username: String, password: String)
    /// By the public key whose secret it has proven to hold.
    case curve(CurveKey)
  }

  /// The ZAP domain of the socket that was connected to.
  public let domain: String
  /// Where the peer is: an IP address, or over ipc what `IPCPeer` reads.
  public let address: String
  /// Who it says it is.
  public let credentials: Credentials

  /// The process behind an ipc connection; nil for tcp.
  public var ipcPeer: IPCPeer? { IPCPeer(address: address) }

  /// Creates a request, for testing a policy.
  public init(domain: String, address: String, credentials: Credentials) {
    self.domain = domain
    self.address = address
    self.credentials = credentials
  }

  /// Reads the frames after the envelope: version, request id, domain, address, identity, mechanism, credentials.
  ///
  /// The identity is the server's own option and says nothing about the peer.
  ///
  /// - Parameters:
  ///   - message: A request as received by a ROUTER.
  ///   - start: The index of the version.
  /// - Returns: Nil for another version, an unknown mechanism, or missing credentials.
  init?(_ message: borrowing MultipartMessage, from start: Int) {
    guard message.count >= start + 6, message.string(at: start) == "1.0" else { return nil }
    domain = message.string(at: start + 2)
    address = message.string(at: start + 3)
    switch (message.string(at: start + 5), message.count - (start + 6)) {
    case ("NULL", _):
      credentials = .null
    case ("PLAIN", 2...):
      credentials = .plain(username: message.string(at: start + 6), password: message.string(at: start + 7))
    case ("CURVE", 1...):
      guard let key = CurveKey(bytes: message.bytes(at: start + 6)) else { return nil }
      credentials = .curve(key)
    default:
      return nil
    }
  }
}
