public import EventLoop
internal import Logging
public import ZeroMQ

/// Tests that a plane refuses an unknown key.
///
/// libzmq silently admits every key if no ZAP handler answers. Before a port is opened to other machines, the probe binds
/// a socket with a plane's options to the loopback address and checks that the handler refuses a random key there.
///
/// ```swift
/// let isGuarded = try await AccessProbe.isGuarded("control", context: context, loop: loop, access: access)
/// ```
public actor AccessProbe: LoopActor {
  /// The event loop of the ZAP handler.
  public nonisolated let loop: LoopExecutor
  private var server: Socket
  private var client: Socket
  private let access: AccessPolicy
  private let source: PollSource
  private var watch: Watch?
  private var waiter: CheckedContinuation<Bool, Never>?

  /// Whether a plane refuses an unknown key.
  ///
  /// - Parameters:
  ///   - domain: The plane's ZAP domain.
  ///   - limit: The longest time for the handler to answer.
  /// - Throws: `ZMQError` if the sockets of the test cannot be created.
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
        // Any other end of the handshake was not a refusal by the handler.
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
