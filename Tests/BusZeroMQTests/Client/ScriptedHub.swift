import Bus
import BusZeroMQ
import EventLoop
import KithMessages
import Logging
import SwiftProtobuf
import TestKit
import ZeroMQ

/// A hub whose sockets answer with a test's closure.
actor ScriptedHub: LoopActor {
  /// Answers one request; `count` is the number of requests with its id so far, including this one.
  typealias Script = @Sendable (_ request: RequestFrame, _ count: Int) -> [ReplyFrame]

  nonisolated let loop: LoopExecutor
  private let script: Script
  private var router: Socket
  private var publisher: Socket
  private var watch: Watch?
  private var subscriptionWatch: Watch?
  private var message = MultipartMessage(capacity: 16)
  /// All received requests.
  private(set) var requests: [RequestFrame] = []
  /// Those that were sent for the first time. On a busy machine a command may come again before its answer has arrived.
  var commands: [RequestFrame] { self.requests.filter { $0.header.attempt == 0 } }
  /// The connections of the requests.
  private(set) var peers: Set<[UInt8]> = []
  private(set) var subscriptions = 0
  private var head = Head()

  static func start(in room: TestRoom, _ script: @escaping Script = { _, _ in [] }) async throws -> ScriptedHub {
    let hub = try ScriptedHub(room, script)
    try await hub.bind(room)
    return hub
  }

  private init(_ room: TestRoom, _ script: @escaping Script) throws {
    self.loop = room.loop
    self.script = script
    self.router = try room.context.makeSocket(.router)
    self.publisher = try room.context.makeSocket(.extendedPublish)
    try self.router.set(.linger, .zero)
    try self.publisher.set(.linger, .zero)
  }

  isolated deinit {}

  private func bind(_ room: TestRoom) throws {
    try self.router.bind("ipc://\(room.control)")
    try self.publisher.bind("ipc://\(room.events)")
    self.watch = self.watch(self.router.source, for: .readable) { hub, _ in try? hub.readable() }
    self.subscriptionWatch = self.watch(self.publisher.source, for: .readable) { hub, _ in try? hub.subscribed() }
  }

  /// Sets and sends HEAD.
  func setHead(_ head: Head) throws {
    self.head = head
    try self.publish(.head(head))
  }

  func publish(_ frame: EventFrame) throws {
    self.message.removeAll()
    for bytes in try frame.encoded(.pb) { try self.message.append(bytes) }
    _ = try self.publisher.send(&self.message)
  }

  private func subscribed() throws {
    while try self.publisher.receive(&self.message) == .received { self.subscriptions += 1 }
    try self.publish(.head(self.head))
  }

  private func readable() throws {
    while try self.router.receive(&self.message) == .received {
      let peer = self.message.bytes(at: 0)
      self.peers.insert(peer)
      let frames = (1..<self.message.count).map { self.message.bytes(at: $0) }
      guard case .accepted(let request) = RequestFrame.decode(frames) else { continue }
      self.requests.append(request)
      let count = self.requests.filter { $0.header.requestID == request.header.requestID }.count
      for reply in self.script(request, count) {
        self.message.removeAll()
        for frame in try [peer] + reply.encoded() { try self.message.append(frame) }
        _ = try self.router.send(&self.message)
      }
    }
  }
}

/// A loop, a context and paths for one test.
struct TestRoom: Sendable {
  let directory: TemporaryDirectory
  let loop: LoopExecutor
  let context: Context
  static let logger = {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }()

  init() throws {
    self.directory = try TemporaryDirectory()
    self.loop = try LoopExecutor(name: "room", poller: Poller(), logger: Self.logger)
    self.context = try Context()
  }

  var control: String { self.directory.file("control.sock") }
  var events: String { self.directory.file("events.sock") }

  func port(connectLimit: Duration? = nil) -> ZeroMQPort {
    ZeroMQPort(
      context: self.context, loop: self.loop, endpoint: "ipc://\(self.control)", connectLimit: connectLimit,
      logger: Self.logger)
  }

  func subscription(since: [StreamPosition] = [], port: any Port) -> Subscription {
    Subscription(
      context: self.context, loop: self.loop, endpoint: "ipc://\(self.events)", streams: ["sync"], since: since,
      port: port, logger: Self.logger)
  }
}

extension RequestFrame {
  /// The FINAL of a Ping, or of a method with the same reply bytes.
  func echo() -> ReplyFrame {
    ReplyFrame(
      isFinal: true, service: self.service, encoding: self.encoding,
      header: .with { $0.requestID = self.header.requestID },
      body: self.body)
  }

  /// A sign of life.
  func partial(_ sequence: UInt32, _ body: [UInt8] = []) -> ReplyFrame {
    ReplyFrame(
      isFinal: false, service: self.service, encoding: self.encoding,
      header: .with {
        $0.requestID = self.header.requestID
        $0.seq = sequence
      }, body: body)
  }
}
