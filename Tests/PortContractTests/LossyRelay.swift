import EventLoop
import Logging
import TestKit
import ZeroMQ

/// Stands between client and hub, and treats messages as a bad network would: by a seed some are lost, repeated, or held
/// back behind the next one. Every tenth or so; enough to hit each command sooner or later.
actor LossyRelay: LoopActor {
  nonisolated let loop: LoopExecutor
  private let context: Context
  private let back: String
  private var front: Socket
  private var clients: [[UInt8]: Backend] = [:]
  private var watch: Watch?
  private var random: SeededGenerator
  private var incoming = MultipartMessage()
  private var outgoing = MultipartMessage()
  private var held: (() -> Void)?

  /// One connection to the hub for each client's connection.
  private final class Backend {
    var socket: Socket
    var watch: Watch?
    init(socket: consuming Socket) { self.socket = socket }
  }

  static func start(
    context: Context, loop: LoopExecutor, front: IPCEndpoint, back: String, seed: UInt64
  ) async throws -> LossyRelay {
    let relay = try LossyRelay(context: context, loop: loop, front: front, back: back, seed: seed)
    await relay.serve()
    return relay
  }

  private init(context: Context, loop: LoopExecutor, front: IPCEndpoint, back: String, seed: UInt64) throws {
    self.context = context
    self.loop = loop
    self.back = back
    self.random = SeededGenerator(seed: seed)
    self.front = try context.makeSocket(.router)
    try self.front.set(.linger, .zero)
    try self.front.bind(front)
  }

  isolated deinit {}

  private func serve() {
    self.watch = self.watch(self.front.source, for: .readable) { relay, _ in try? relay.fromClients() }
  }

  private func fromClients() throws {
    while try self.front.receive(&self.incoming) == .received {
      let client = self.incoming.bytes(at: 0)
      let frames = (1..<self.incoming.count).map { self.incoming.bytes(at: $0) }
      self.deliver { [weak self] in try? self?.assumeIsolated { try $0.send(frames, for: client) } }
    }
  }

  private func backend(of client: [UInt8]) throws -> Backend {
    if let known = self.clients[client] { return known }
    var socket = try self.context.makeSocket(.dealer)
    try socket.set(.linger, .zero)
    try socket.connect(self.back)
    let backend = Backend(socket: socket)
    backend.watch = self.watch(backend.socket.source, for: .readable) { relay, _ in try? relay.fromHub(client) }
    self.clients[client] = backend
    return backend
  }

  private func fromHub(_ client: [UInt8]) throws {
    guard let backend = self.clients[client] else { return }
    while try backend.socket.receive(&self.incoming) == .received {
      let frames = [client] + (0..<self.incoming.count).map { self.incoming.bytes(at: $0) }
      self.deliver { [weak self] in try? self?.assumeIsolated { try $0.sendToClient(frames) } }
    }
  }

  private func send(_ frames: [[UInt8]], for client: [UInt8]) throws {
    let backend = try self.backend(of: client)
    self.outgoing.removeAll()
    for frame in frames { try self.outgoing.append(frame) }
    _ = try backend.socket.send(&self.outgoing)
  }

  private func sendToClient(_ frames: [[UInt8]]) throws {
    self.outgoing.removeAll()
    for frame in frames { try self.outgoing.append(frame) }
    _ = try self.front.send(&self.outgoing)
  }

  private func deliver(_ send: @escaping () -> Void) {
    let waiting = self.held
    self.held = nil
    switch Int.random(in: 0..<10, using: &self.random) {
    case 0: break
    case 1:
      send()
      send()
    case 2: self.held = send
    default: send()
    }
    waiting?()
  }
}
