import EventLoop
import Glibc
import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(5)))
struct SecurityTests {
  @Test("ZAP lets an ipc peer in by its user, and its messages carry the user id on the last frame")
  func ipcAccepted() async throws {
    let context = try Context()
    try await LoopExecutor.withLoop(poller: Poller(), logger: silent) { loop in
      let asked = Lock<ZAPRequest?>(nil)
      let handler = try await ZAPHandler.start(context: context, loop: loop, logger: silent) { request in
        asked.withLock { $0 = request }
        return request.ipcPeer?.isOwnUser == true ? .accept(userID: "uid:\(geteuid())") : .refuse
      }
      let directory = try TemporaryDirectory()
      var router = try guardedRouter(in: context)
      try router.bind(directory.runtime.endpoint("zap.sock"))
      var dealer = try context.makeTestSocket(.dealer)
      try dealer.connect(router.lastEndpoint())
      #expect(try dealer.send(Array("hello".utf8), waiting: .allowed) == .sent)
      var message = MultipartMessage()
      #expect(try router.receive(&message, waiting: .allowed) == .received)
      #expect(message.userID == "uid:\(geteuid())")
      #expect(message.property("Peer-Address").flatMap(IPCPeer.init)?.pid == getpid())
      let request = asked.withLock { $0 }
      #expect(request?.domain == "control")
      #expect(request?.credentials == .null)
      #expect(request?.ipcPeer?.uid == geteuid())
      withExtendedLifetime(handler) {}
    }
    await context.terminateOffPool()
  }

  @Test("a peer that ZAP refuses is cut off and told so", arguments: [ZAPReply.refuse, .later])
  func refused(reply: ZAPReply) async throws {
    let context = try Context()
    try await LoopExecutor.withLoop(poller: Poller(), logger: silent) { loop in
      let handler = try await ZAPHandler.start(context: context, loop: loop, logger: silent) { _ in reply }
      var router = try guardedRouter(in: context)
      try router.set(.handshakeInterval, .milliseconds(200))
      let source = try router.startMonitor(.handshakes)
      try router.bind("tcp://127.0.0.1:*")
      var dealer = try context.makeTestSocket(.dealer)
      try dealer.connect(router.lastEndpoint())
      // Sent or not: the refusal may be faster.
      _ = try dealer.send(Array("hello".utf8))
      let status: Int32 = reply == .refuse ? 400 : 300
      let monitored = Monitored(router, source, loop: loop)
      #expect(await monitored.first { $0 == .handshakeRefused(status) })
      #expect(await monitored.received == 0)
      withExtendedLifetime(handler) {}
    }
    await context.terminateOffPool()
  }

  @Test("without a ZAP handler an enforced domain refuses everybody; CURVE alone would let every key in")
  func enforcedDomain() async throws {
    for enforced in [true, false] {
      let context = try Context()
      do {
        var router = try guardedRouter(in: context)
        try router.set(.enforceZAPDomain, enforced)
        let keys = try CurveKeyPair.random()
        try router.set(.curveServer, true)
        try router.set(.curveSecretKey, keys.secretKey)
        try router.set(.receiveTimeout, .seconds(enforced ? 2 : 60))
        try router.bind("tcp://127.0.0.1:*")
        var dealer = try curveClient(of: keys.publicKey, CurveKeyPair.random(), in: context)
        try dealer.connect(router.lastEndpoint())
        #expect(try dealer.send(Array("hello".utf8), waiting: .allowed) == .sent)
        var message = MultipartMessage()
        #expect(try router.receive(&message, waiting: .allowed) == (enforced ? .empty : .received))
      }
      await context.terminateOffPool()
    }
  }

  @Test("a CURVE client is known by its key")
  func curve() async throws {
    let context = try Context()
    try await LoopExecutor.withLoop(poller: Poller(), logger: silent) { loop in
      let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
      let handler = try await ZAPHandler.start(context: context, loop: loop, logger: silent) { request in
        request.credentials == .curve(client.publicKey) ? .accept(userID: "key:kitchen") : .refuse
      }
      var router = try guardedRouter(in: context)
      try router.set(.curveServer, true)
      try router.set(.curveSecretKey, server.secretKey)
      try router.bind("tcp://127.0.0.1:*")
      var dealer = try curveClient(of: server.publicKey, client, in: context)
      try dealer.connect(router.lastEndpoint())
      #expect(try dealer.send(Array("hello".utf8), waiting: .allowed) == .sent)
      var message = MultipartMessage()
      #expect(try router.receive(&message, waiting: .allowed) == .received)
      #expect(message.userID == "key:kitchen")
      #expect(try CurveKeyPair(secretKey: client.secretKey) == client)
      withExtendedLifetime(handler) {}
    }
    await context.terminateOffPool()
  }

  private func guardedRouter(in context: Context) throws -> Socket {
    var router = try context.makeTestSocket(.router)
    try router.set(.zapDomain, "control")
    try router.set(.enforceZAPDomain, true)
    return router
  }

  private func curveClient(of server: CurveKey, _ keys: CurveKeyPair, in context: Context) throws -> Socket {
    var dealer = try context.makeTestSocket(.dealer)
    try dealer.set(.curveServerKey, server)
    try dealer.set(.curvePublicKey, keys.publicKey)
    try dealer.set(.curveSecretKey, keys.secretKey)
    return dealer
  }
}

/// Owns a socket and waits for an event of its monitor.
private actor Monitored: LoopActor {
  nonisolated let loop: LoopExecutor
  private var socket: Socket
  private var events: Watch?
  private var messages: Watch?
  private let source: PollSource
  private(set) var received = 0
  private var waiter: (matches: @Sendable (MonitorEvent.Kind) -> Bool, CheckedContinuation<Bool, Never>)?

  init(_ socket: consuming Socket, _ source: sending PollSource, loop: LoopExecutor) {
    self.socket = socket
    self.source = source
    self.loop = loop
  }

  isolated deinit {}

  func first(where matches: @escaping @Sendable (MonitorEvent.Kind) -> Bool) async -> Bool {
    await withCheckedContinuation {
      waiter = (matches, $0)
      events = watch(source, for: .readable) { monitored, _ in monitored.drain() }
      messages = watch(socket.source, for: .readable) { monitored, _ in monitored.readable() }
    }
  }

  private func readable() {
    var message = MultipartMessage()
    while (try? socket.receive(&message)) == .received { received += 1 }
  }

  private func drain() {
    var kinds: [MonitorEvent.Kind] = []
    try? socket.drainMonitor { kinds.append($0.kind) }
    guard let (matches, continuation) = waiter, kinds.contains(where: matches) else { return }
    waiter = nil
    continuation.resume(returning: true)
  }
}
