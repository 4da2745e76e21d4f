public import EventLoop
internal import Logging
public import ZeroMQ

/// Tries, as a stranger would, to get in.
///
/// libzmq lets every key in when no ZAP handler answers, and nothing says so. Before a port is opened to others, a socket that is
/// set up like a plane's is bound to the loopback, and a random key has to be refused there by the handler itself.
public actor AccessProbe: LoopActor {
  /// The loop of the handler.
  public nonisolated let loop: LoopExecutor
  private var server: Socket
  private var client: Socket
  private let access: AccessPolicy
  private let source: PollSource
  private var watch: Watch?
  private var waiter: CheckedContinuation<Bool, Never>?

  /// Whether a stranger is refused at a plane.
  ///
  /// - Parameters:
  ///   - domain: The plane's.
  ///   - limit: How long the handler may take to answer.
  /// - Throws: `ZMQError` when the sockets of the test cannot be made.
  public static func isGuarded(
    _ domain: String, context: Context, loop: LoopExecutor, access: AccessPolicy, within limit: Duration = .seconds(2)
  ) async throws(ZMQError) -> Bool {
    try await AccessProbe(domain, context: context, loop: loop, access: access).run(within: limit)
  }

  private init(
    _ domain: String, context: Context, loop: LoopExecutor, access: AccessPolicy
  ) throws(ZMQError) {
    let (serverKeys, strangerKeys) = (try CurveKeyPair.random(), try CurveKeyPair.random())
    var server = try PlaneSocket.make(.router, zapDomain: domain, in: context)
    self.source = try server.startMonitor(.handshakes)
    try server.set(.curveServer, true)
    try server.set(.curveSecretKey, serverKeys.secretKey)
    try server.bind("tcp://127.0.0.1:*")
    var client = try context.makeSocket(.dealer)
    try client.set(.linger, .zero)
    try client.set(.curveServerKey, serverKeys.publicKey)
    try client.set(.curvePublicKey, strangerKeys.publicKey)
    try client.set(.curveSecretKey, strangerKeys.secretKey)
    access.expectStranger(strangerKeys.publicKey)
    try client.connect(try server.lastEndpoint())
    self.loop = loop
    self.server = server
    self.client = client
    self.access = access
  }

  isolated deinit {}

  private func run(within limit: Duration) async -> Bool {
    let isGuarded = await withCheckedContinuation { waiter in
      self.waiter = waiter
      self.schedule(at: .now + limit) { $0.end(false) }
      self.watch = self.watch(self.source, for: .readable) { probe, _ in probe.drain() }
    }
    self.watch = nil
    self.access.expectStranger(nil)
    return isGuarded
  }

  private func drain() {
    var isRefused: Bool?
    do {
      try self.server.drainMonitor { event in
        // Whatever else a handshake ends with, it was not the handler that refused.
        if case .handshakeRefused = event.kind { isRefused = isRefused ?? true } else { isRefused = false }
      }
    } catch {
      isRefused = false
    }
    if let isRefused { self.end(isRefused) }
  }

  private func end(_ isGuarded: Bool) {
    self.waiter?.resume(returning: isGuarded)
    self.waiter = nil
  }
}
