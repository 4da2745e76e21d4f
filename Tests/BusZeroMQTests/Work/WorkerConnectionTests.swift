import Bus
import Dispatch
import EventLoop
import KithMessages
import SwiftProtobuf
import TestKit
import Testing
import ZeroMQ

@testable import BusZeroMQ

/// A worker with its socket and tasks: it always ends, with all of its jobs.
@Suite(.timeLimit(.minutes(5))) struct WorkerConnectionTests {
  private func worker(_ room: TestRoom) -> WorkerConnection {
    let route = Route(TranscribeRequest.self) { _, _ in TranscribeReply() }
    return WorkerConnection(
      context: room.context, loop: room.loop, endpoint: "ipc://\(room.control)", name: "one", slots: 1,
      services: LocalBatchPort([route], batches: []), logger: TestRoom.logger)
  }

  @Test func oneThatWasDrainedBeforeItRunsEnds() async throws {
    let worker = self.worker(try TestRoom())
    await worker.drain()
    try await worker.run()
  }

  @Test func oneThatIsDrainedInTheMomentInWhichItBeginsEnds() async throws {
    let room = try TestRoom()
    let worker = self.worker(room)
    // Both then wait for the event loop.
    let held = DispatchSemaphore(value: 0)
    room.loop.post { held.wait() }
    try await until { room.loop.waiting == 0 }
    async let running: Void = worker.run()
    try await until { room.loop.waiting == 1 }
    async let draining: Void = worker.drain()
    try await until { room.loop.waiting == 2 }
    held.signal()
    await draining
    try await running
  }

  @Test func whoWaitsForAnInputDoesNotWaitForEver() async throws {
    let room = try TestRoom()
    let hub = try await WorkHub.start(in: room)
    var worker: WorkerConnection? = self.worker(room)
    weak let same = worker
    let serving = Task { [worker] in try await worker?.run() }
    worker = nil
    for await _ in hub.asked.stream { break }
    try await hub.disconnect(Failure(.aborted, "REPLACED", "Another worker has its name."))
    let failure = await #expect(throws: Failure.self) { try await serving.value }
    #expect(failure?.reason == "REPLACED")
    // The task of the job keeps it alive.
    try await until { same == nil }
  }
}

/// A hub that welcomes one worker and gives it a job, but not its input.
private actor WorkHub: LoopActor {
  nonisolated let loop: LoopExecutor
  /// Called when the worker has requested the input.
  nonisolated let asked = AsyncStream<Void>.makeStream()
  private var socket: Socket
  private var watch: Watch?
  private var message = MultipartMessage(capacity: 16)
  private var peer: [UInt8] = []

  static func start(in room: TestRoom) async throws -> WorkHub {
    let hub = try WorkHub(room)
    try await hub.bind(room)
    return hub
  }

  private init(_ room: TestRoom) throws {
    self.loop = room.loop
    self.socket = try room.context.makeSocket(.router)
    try self.socket.set(.linger, .zero)
  }

  isolated deinit {}

  private func bind(_ room: TestRoom) throws {
    try self.socket.bind("ipc://\(room.control)")
    self.watch = self.watch(self.socket.source, for: .readable) { hub, _ in try? hub.readable() }
  }

  func disconnect(_ failure: Failure) throws {
    try self.send(.disconnect(.with { $0.status = failure.status }))
  }

  private func readable() throws {
    while try self.socket.receive(&self.message) == .received {
      self.peer = self.message.bytes(at: 0)
      guard case .accepted(let frame) = WorkFrame.decode((1..<self.message.count).map { self.message.bytes(at: $0) })
      else { continue }
      switch frame.message {
      case .ready(let ready) where ready.held.isEmpty:
        try self.send(.welcome(Welcome()))
        let job = Job.with {
          $0.jobID = "job"
          $0.leaseID = "lease"
          $0.service = TranscribeRequest.method.name
          $0.inputs = [.with { $0.sha256 = "sound" }]
        }
        try self.send(.job(job, []))
      case .fetch: self.asked.continuation.yield()
      default: break
      }
    }
  }

  private func send(_ message: WorkMessage) throws {
    self.message.removeAll()
    for bytes in try [self.peer] + WorkFrame(message).encoded() { try self.message.append(bytes) }
    _ = try self.socket.send(&self.message)
  }
}
