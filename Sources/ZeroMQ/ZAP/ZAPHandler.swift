public import EventLoop
public import Logging

/// Asks a policy about every peer that connects to a socket with a ZAP domain. ZeroMQ RFC 27.
///
/// One for each context, served before the first socket is bound. libzmq asks at the handshake only: a peer whose right
/// is withdrawn stays connected until its endpoint is bound anew.
public actor ZAPHandler: LoopActor {
  /// Decides about a peer. Runs on the loop, so it must not wait.
  public typealias Policy = @Sendable (ZAPRequest) -> ZAPReply

  /// The loop that serves the handler.
  public nonisolated let loop: LoopExecutor
  private let logger: Logger
  private let policy: Policy
  private var socket: Socket
  private var watch: Watch?

  /// Starts a handler, which answers until it is released.
  ///
  /// - Parameters:
  ///   - context: Whose sockets it guards.
  ///   - loop: With a `Poller`.
  ///   - logger: Told of requests that cannot be read.
  ///   - policy: Decides about each peer.
  /// - Throws: `ZMQError` with `addressInUse` when the context has a handler already.
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
    // A peer that has gone meanwhile needs no answer.
    _ = try socket.send(&reply)
  }
}
