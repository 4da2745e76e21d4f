import EventLoop
import Testing
import ZeroMQ

/// Watches a descriptor and a socket on one event loop and records the events.
private actor Listener: LoopActor {
  nonisolated let loop: LoopExecutor
  private let event: EventDescriptor
  private var socket: Socket
  private var descriptorWatch: Watch?
  private var socketWatch: Watch?
  private(set) var heard: [String] = []
  private var waiter: CheckedContinuation<Void, Never>?

  init(_ socket: consuming Socket, _ event: EventDescriptor, loop: LoopExecutor) {
    self.socket = socket
    self.event = event
    self.loop = loop
  }

  isolated deinit {}

  func start() {
    descriptorWatch = watch(.descriptor(event.descriptor), for: .readable) { listener, _ in listener.descriptorReady() }
    socketWatch = watch(socket.source, for: .readable) { listener, ready in listener.socketReady(ready) }
  }

  func hear() async -> String? {
    if heard.isEmpty { await withCheckedContinuation { waiter = $0 } }
    return heard.isEmpty ? nil : heard.removeFirst()
  }

  private func descriptorReady() {
    event.reset()
    note("descriptor")
  }

  private func socketReady(_ ready: Readiness) {
    var message = MultipartMessage()
    do throws(ZMQError) {
      if try socket.receive(&message) == .received { note(message.string(at: 0)) }
    } catch {
      // A socket of a terminated context stays ready until it is closed or no longer watched.
      socketWatch = nil
      note(error.code == .terminated && ready == .failed ? "terminated" : "\(error)")
    }
  }

  private func note(_ word: String) {
    heard.append(word)
    waiter?.resume()
    waiter = nil
  }
}

@Suite(.timeLimit(.minutes(5)))
struct PollerTests {
  @Test("a loop serves descriptors beside sockets, and tells the owners when their context ends")
  func sources() async throws {
    let context = try Context()
    try await LoopExecutor.withLoop(poller: Poller(), logger: silent) { loop in
      var receiver = try context.makeTestSocket(.pair)
      try receiver.bind("inproc://poller")
      var sender = try context.makeTestSocket(.pair)
      try sender.connect("inproc://poller")
      let event = try EventDescriptor()
      let listener = Listener(receiver, event, loop: loop)
      await listener.start()
      event.wake()
      #expect(await listener.hear() == "descriptor")
      #expect(try sender.send(Array("socket".utf8)) == .sent)
      #expect(await listener.hear() == "socket")
      context.shutdown()
      #expect(await listener.hear() == "terminated")
      event.wake()
      #expect(await listener.hear() == "descriptor")
    }
    await context.terminateOffPool()
  }
}
