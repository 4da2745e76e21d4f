import EventLoop
import ZeroMQ

/// Messages that are sent before the measurement starts.
let warmUp = 1000

/// libzmq's default. Without a mark the sender runs ahead by gigabytes, and what is measured is the kernel giving memory.
let highWaterMark: Int32 = 1000

/// What one run measured.
enum Measurement {
  case roundTrips(sorted: [Duration])
  case oneWay(perSecond: Double)
}

/// The ROUTER: sends back or counts what arrives.
actor Server: LoopActor {
  nonisolated let loop: LoopExecutor
  private let echoes: Bool
  private let expected: Int
  private var socket: Socket
  private var watch: Watch?
  private var message = MultipartMessage()
  private var received = 0
  private var counted = 0
  private var start: ContinuousClock.Instant?
  private var finish: CheckedContinuation<Measurement, Never>?

  init(_ socket: consuming Socket, echoes: Bool, expected: Int, loop: LoopExecutor) {
    self.socket = socket
    self.echoes = echoes
    self.expected = expected
    self.loop = loop
  }

  isolated deinit {}

  func serve() {
    watch = watch(socket.source, for: .readable) { server, _ in server.readable() }
  }

  /// Waits for the last message and gives the rate.
  func measured() async -> Measurement {
    await withCheckedContinuation { finish = $0 }
  }

  private func readable() {
    let before = received
    var taken = 0
    do {
      // As the subscriptions of the bus do, which take the most.
      try socket.receive(into: &message, limit: 256) { [echoes] socket, message, _ in
        taken += 1
        if echoes { _ = try? socket.send(&message) }
      }
    } catch {
      preconditionFailure("\(error)")
    }
    received += taken
    if before < warmUp, received >= warmUp {
      start = .now
      counted = received
    }
    guard before < expected + warmUp, received >= expected + warmUp, let start else { return }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    finish?.resume(returning: .oneWay(perSecond: Double(received - counted) / seconds))
  }
}

/// The DEALER: sends one after another, or the next when the last has come back.
actor Client: LoopActor {
  nonisolated let loop: LoopExecutor
  private let count: Int
  private let body: [UInt8]
  private var socket: Socket
  private var watch: Watch?
  private var message = MultipartMessage()
  private var times: [Duration] = []
  private var sentAt = ContinuousClock.now
  private var finish: CheckedContinuation<Measurement, Never>?

  private let tag = Array("KTHC01".utf8)
  private let kind: [UInt8] = [1]
  private let service = Array("kith.v1.System/Ping".utf8)
  private let contentType = Array("pb".utf8)
  private let header = Array("\n$6f9619ff-8b86-d011-b42d-00cf4fc964ff".utf8)

  init(_ socket: consuming Socket, count: Int, size: Int, loop: LoopExecutor) {
    self.socket = socket
    self.count = count
    self.loop = loop
    body = [UInt8](repeating: 0, count: size)
    times.reserveCapacity(count + warmUp)
  }

  isolated deinit {}

  func sendAll() throws {
    try Self.send(body, count + warmUp, on: &socket)
  }

  /// Takes the socket once for all messages instead of once for each.
  private static func send(_ body: [UInt8], _ count: Int, on socket: inout Socket) throws {
    for _ in 0..<count {
      _ = try socket.send(body, waiting: .allowed)
    }
  }

  func measureRoundTrips() async -> Measurement {
    watch = watch(socket.source, for: .readable) { client, _ in client.readable() }
    return await withCheckedContinuation {
      finish = $0
      ping()
    }
  }

  private func ping() {
    sentAt = .now
    do {
      try message.append(tag)
      try message.append(kind)
      try message.append(service)
      try message.append(contentType)
      try message.append(header)
      try message.append(body)
      _ = try socket.send(&message, waiting: .allowed)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func readable() {
    guard (try? socket.receive(&message)) == .received else { return }
    times.append(.now - sentAt)
    message.removeAll()
    guard times.count == count + warmUp else { return ping() }
    finish?.resume(returning: .roundTrips(sorted: times.dropFirst(warmUp).sorted()))
  }
}
