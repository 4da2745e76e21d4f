import Bus
import EventLoop
import KithMessages
import SwiftProtobuf
import ZeroMQ

/// Plain SUB sockets that note how long each event of a stream took to arrive.
actor Listeners: LoopActor {
  nonisolated let loop: LoopExecutor
  private let sockets: [Listener]
  private let begin: @Sendable (EventHeader) -> Int64
  private var samples = Samples()
  private var arrived = 0
  private var wanted = Int.max
  private var finished: CheckedContinuation<Samples, Never>?

  final class Listener {
    var socket: Socket
    var watch: Watch?
    init(_ socket: consuming Socket) { self.socket = socket }
  }

  /// - Parameter begin: When an event was on its way, in nanoseconds since 1970.
  init(
    loop: LoopExecutor, endpoint: String, stream: String, count: Int, begin: @escaping @Sendable (EventHeader) -> Int64
  ) throws {
    self.loop = loop
    self.begin = begin
    let context = try Context()
    self.sockets = try (0..<count).map { _ in
      var socket = try context.makeSocket(.subscribe)
      try socket.set(.linger, .zero)
      try socket.set(.subscribe, Array("p/\(stream)/".utf8))
      try socket.set(.subscribe, Array("p/!head/".utf8))
      try socket.connect(endpoint)
      return Listener(socket)
    }
  }

  isolated deinit {}

  /// Begins, and returns when every socket has had a HEAD, which means that it is subscribed.
  func start() async throws {
    for (index, listener) in self.sockets.enumerated() {
      listener.watch = self.watch(listener.socket.source, for: .readable) { listeners, _ in
        listeners.readable(listeners.sockets[index])
      }
    }
    try await Task.sleep(for: .seconds(1))
  }

  func collect(events: Int) async -> Samples {
    await withCheckedContinuation { continuation in
      self.finished = continuation
      self.wanted = events * self.sockets.count
      self.finishWhenDone()
    }
  }

  func close() {
    for listener in self.sockets { listener.watch = nil }
  }

  private func readable(_ listener: Listener) {
    var message = MultipartMessage()
    while (try? listener.socket.receive(&message)) == .received {
      guard message.byteCount(at: 2) == 1, message.bytes(at: 2) == [1],
        let header = try? EventHeader(serializedBytes: message.bytes(at: 4))
      else { continue }
      self.samples.add(microseconds: Double(WallClock.nanoseconds() - self.begin(header)) / 1000)
      self.arrived += 1
    }
    self.finishWhenDone()
  }

  private func finishWhenDone() {
    guard self.arrived >= self.wanted else { return }
    self.finished?.resume(returning: self.samples)
    self.finished = nil
  }
}
