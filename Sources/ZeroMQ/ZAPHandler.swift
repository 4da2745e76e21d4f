public import EventLoop
public import Logging

/// Applies a policy to every peer that connects to a socket with a ZAP domain. ZeroMQ RFC 27.
///
/// A context has one handler, started before the first socket is bound. libzmq asks only at the handshake: a peer that
/// loses its rights stays connected until its endpoint is bound again.
///
/// ```swift
/// let handler = try await ZAPHandler.start(context: context, loop: loop, logger: logger) { request in
///   request.ipcPeer?.isOwnUser == true ? .accept(userID: "me") : .refuse
/// }
/// ```
public actor ZAPHandler: LoopActor {
  /// Decides about a peer. It runs on the event loop, so it must not block.
  public typealias Policy = @Sendable (ZAPRequest) -> ZAPReply

  /// The event loop of the handler.
  public nonisolated let loop: LoopExecutor
  private let logger: Logger
  private let policy: Policy
  private var socket: Socket
  private var watch: Watch?

  /// Starts a handler, which runs until it is released.
  ///
  /// - Parameters:
  ///   - context: The context whose sockets it guards.
  ///   - loop: An event loop with a `Poller`.
  ///   - logger: Logs malformed requests.
  ///   - policy: Decides about each peer.
  /// - Throws: `ZMQError` with `addressInUse` if the context has a handler already.
  public static func start(
    context: Context, loop: LoopExecutor, logger: Logger, policy: @escaping Policy
  ) async throws(ZMQError) -> ZAPHandler {
    let handler = try ZAPHandler(context: context, loop: loop, logger: logger, policy: policy)
    await handler.serve()
    return handler
  }

  private init(context: Context, loop: LoopExecutor, logger: Logger, policy: @escaping Policy) throws(ZMQError) {
    var socket = try context.makeSocket(.router)
    try socket.set(.linger, .zero)
    try socket.bind("inproc://zeromq.zap.01")
    self.loop = loop
    self.logger = logger
    self.policy = policy
    self.socket = socket
  }

  isolated deinit {}

  private func serve() {
    watch = watch(socket.source, for: .readable) { handler, _ in handler.answer() }
  }

  private func answer() {
    var request = MultipartMessage()
    do {
      for _ in 0..<64 {
        switch try socket.receive(&request) {
        case .empty: return
        case .oversized: logger.warning("ZAP request with too many frames dropped")
        case .received: try answer(&request)
        }
      }
    } catch {
      logger.error("ZAP handler failed", metadata: ["error": "\(error)"])
    }
  }

  /// Answers a request whose first frames are the routing id and the empty delimiter.
  private func answer(_ request: inout MultipartMessage) throws(ZMQError) {
    guard request.count >= 4 else { return logger.warning("ZAP request without an envelope dropped") }
    let parsed = ZAPRequest(request, from: 2)
    if parsed == nil { logger.warning("ZAP request could not be read") }
    let decision = parsed.map(policy) ?? .malformed
    var reply = MultipartMessage()
    reply.appendFrame(at: 0, of: &request)
    reply.appendFrame(at: 1, of: &request)
    try reply.append("1.0")
    reply.appendFrame(at: 3, of: &request)
    try reply.append(decision.status)
    try reply.append(decision.text)
    try reply.append(decision.userID)
    try reply.append([UInt8]())
    // A peer that has disconnected needs no answer.
    _ = try socket.send(&reply)
  }
}

/// A request to the ZAP handler to decide about a peer. ZeroMQ RFC 27.
///
/// ```swift
/// let request = ZAPRequest(domain: "control", address: "192.168.1.20", credentials: .null)
/// let isRefused = policy(request) == .refuse
/// ```
public struct ZAPRequest: Hashable, Sendable {
  /// The credentials of a peer.
  public enum Credentials: Hashable, Sendable {
    /// None; over ipc the address still names the process.
    case null
    /// A name and a password, sent as plain text.
    case plain(username: String, password: String)
    /// A public key whose secret key the peer has proven to hold.
    case curve(CurveKey)
  }

  /// The ZAP domain of the socket.
  public let domain: String
  /// The address of the peer: an IP address, or the text that `IPCPeer` parses.
  public let address: String
  /// The peer's credentials.
  public let credentials: Credentials

  /// The process of an ipc connection; nil for tcp.
  public var ipcPeer: IPCPeer? { IPCPeer(address: address) }

  /// Creates a request, to test a policy.
  public init(domain: String, address: String, credentials: Credentials) {
    self.domain = domain
    self.address = address
    self.credentials = credentials
  }

  /// Parses the frames after the envelope: version, request id, domain, address, identity, mechanism, credentials.
  ///
  /// The identity is an option of the server's socket and not information about the peer.
  ///
  /// - Parameters:
  ///   - message: A request that a ROUTER received.
  ///   - start: The index of the version.
  /// - Returns: nil for another version, an unknown mechanism, or missing credentials.
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

/// The decision about a peer. ZeroMQ RFC 27.
///
/// ```swift
/// let policy: ZAPHandler.Policy = { request in
///   guard case .curve(let key) = request.credentials, known.contains(key) else { return .refuse }
///   return .accept(userID: key.hex)
/// }
/// ```
public enum ZAPReply: Hashable, Sendable {
  /// Accepted (200). `userID` is attached to each of its messages; see `MultipartMessage.userID`.
  case accept(userID: String)
  /// Not now (300): libzmq holds the connection until the handshake times out, and the peer reconnects.
  case later
  /// Refused (400): libzmq closes the connection, and the peer does not reconnect with that socket.
  case refuse
  /// The request is malformed (500).
  case malformed

  var status: String {
    switch self {
    case .accept: "200"
    case .later: "300"
    case .refuse: "400"
    case .malformed: "500"
    }
  }

  var text: String {
    switch self {
    case .accept: "OK"
    case .later: "Not yet accepted"
    case .refuse: "Refused"
    case .malformed: "Malformed request"
    }
  }

  var userID: String {
    if case .accept(let userID) = self { userID } else { "" }
  }
}
