import CLinux
import EventLoop
import Logging
import Testing
import ZeroMQ

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Echoes every message.
actor Echo: LoopActor {
  nonisolated let loop: LoopExecutor
  private var socket: Socket
  private var watch: Watch?
  private(set) var results: [ReceiveResult] = []

  init(_ socket: consuming Socket, loop: LoopExecutor) {
    self.socket = socket
    self.loop = loop
  }

  isolated deinit {}

  func serve() {
    watch = watch(socket.source, for: .readable) { echo, _ in echo.readable() }
  }

  private func readable() {
    var message = MultipartMessage(capacity: 8)
    do {
      for _ in 0..<64 {
        let result = try socket.receive(&message)
        if result == .empty { return }
        results.append(result)
        if result == .received { _ = try socket.send(&message) }
      }
    } catch {
      Issue.record(error)
    }
  }
}

@Suite(.timeLimit(.minutes(5)))
struct TransferTests {
  @Test("a message goes round through every transport", arguments: ["inproc://echo", "ipc", "tcp://127.0.0.1:*"])
  func roundTrip(endpoint: String) async throws {
    let context = try Context()
    try await LoopExecutor.withLoop(poller: Poller(), logger: silent) { loop in
      let directory = try TemporaryDirectory()
      var router = try context.makeSocket(.router)
      try router.set(.linger, .zero)
      if endpoint == "ipc" {
        try router.bind(directory.runtime.endpoint("echo.sock"))
      } else {
        try router.bind(endpoint)
      }
      let address = try router.lastEndpoint()
      let echo = Echo(router, loop: loop)
      await echo.serve()
      var dealer = try context.makeTestSocket(.dealer)
      try dealer.connect(address)
      for size in [0, 1, 33, 34, 300, 100_000] {
        var message = MultipartMessage()
        try message.append("KTHC01")
        try message.append([UInt8](repeating: 7, count: size))
        #expect(try dealer.send(&message, waiting: .allowed) == .sent)
        #expect(message.count == 0)
        #expect(try dealer.receive(&message, waiting: .allowed) == .received)
        #expect(message.count == 2)
        #expect(message.string(at: 0) == "KTHC01")
        #expect(message.bytes(at: 1) == [UInt8](repeating: 7, count: size))
      }
    }
    await context.terminateOffPool()
  }

  /// A message that keeps the buffer of its reading takes 18 KiB, whatever its size. Each comes by a reading of its own here, because
  /// the next one is sent when the one before is there.
  @Test("small messages that wait take little memory")
  func smallMessages() async throws {
    let context = try Context()
    let count = 1000
    /// The bytes by which the heap of this process has grown while the messages wait.
    func grown() throws -> Int {
      var pull = try context.makeTestSocket(.router)
      // What is not counted as taken would end the connection.
      pull.startMeter(of: .router)
      try pull.bind("tcp://127.0.0.1:*")
      var push = try context.makeTestSocket(.dealer)
      try push.connect(try pull.lastEndpoint())
      let before = mallinfo2().uordblks
      var kept: [KeptMessage] = []
      for _ in 0..<count {
        var message = MultipartMessage()
        try message.append([UInt8](repeating: 7, count: 100))
        #expect(try push.send(&message, waiting: .allowed) == .sent)
        kept.append(KeptMessage())
        try #require(try pull.receive(&kept[kept.count - 1].message, waiting: .allowed) == .received)
      }
      let after = mallinfo2().uordblks
      #expect(kept.count == count)
      return Int(after) - Int(before)
    }
    // 18 MiB each time where buffers are kept. Other tests of this process use some meanwhile, but not always.
    var least = Int.max
    for _ in 0..<3 where least >= 9 << 20 { least = try min(least, grown()) }
    #expect(least < 9 << 20, "\(least >> 20) MiB")
    await context.terminateOffPool()
  }
}

/// A message that stays in an array, which holds no value that cannot be copied.
private final class KeptMessage {
  var message = MultipartMessage(capacity: 4)
}
