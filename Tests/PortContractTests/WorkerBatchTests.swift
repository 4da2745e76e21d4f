import Bus
import Digest
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing
import ZeroMQ

@testable import BusZeroMQ

/// Batches of a worker whose every message the test writes.
@Suite(.timeLimit(.minutes(5))) struct WorkerBatchTests {
  /// A call of a method that answers in batches, whose storing a test holds.
  private final class Call: Sendable {
    let began = AsyncStream<CardBatch>.makeStream()
    let mayEnd = AsyncStream<Void>.makeStream()

    func start(_ plane: WorkPlane) -> Task<FetchItemsReply, any Error> {
      Task {
        try await WorkerPort(plane).call(FetchItemsRequest(), CallContext()) { batch throws(Failure) in
          self.began.continuation.yield(batch)
          for await _ in self.mayEnd.stream { break }
        }
      }
    }
  }

  private func end(_ post: WorkerPortTests.Post, _ plane: WorkPlane) async {
    await plane.close()
    await post.storage.close()
  }

  @Test func aLargeBatchThatIsSaidAgainIsNotSentAgain() async throws {
    let post = try await WorkerPortTests.Post()
    let plane = try await post.open()
    let worker = try await WrittenWorker.start(post, FetchItemsRequest.method)
    let call = Call()
    let answer = call.start(plane)
    let job = try await worker.job()

    var batch = CardBatch()
    batch.cards = [.with { $0.href = String(repeating: "x", count: WireLimits.body) }]
    let bytes: [UInt8] = try batch.serializedBytes()
    var chunk = Chunk()
    chunk.sha256 = Hex.encode(SHA256.digest(bytes))
    chunk.size = UInt64(bytes.count)
    let half = bytes.count / 2
    try await worker.send(.chunk(chunk, Array(bytes[..<half])))
    guard case .chunkAck(let first) = try await worker.next() else { throw Failure(.internal, "NO_ACK", "") }
    #expect(first.nextOffset == UInt64(half) && !first.done)
    chunk.offset = UInt64(half)
    chunk.eof = true
    try await worker.send(.chunk(chunk, Array(bytes[half...])))
    guard case .chunkAck(let whole) = try await worker.next() else { throw Failure(.internal, "NO_ACK", "") }
    #expect(whole.done)

    var partial = Partial()
    partial.jobID = job.jobID
    partial.leaseID = job.leaseID
    partial.batchSeq = 1
    partial.outputs = [.with { $0.sha256 = chunk.sha256 }]
    try await worker.send(.partial(partial, []))
    for await received in call.began.stream {
      #expect(received == batch)
      break
    }
    // While it is being stored, it is said again; the answer to what comes behind is the next that the worker hears.
    try await worker.send(.partial(partial, []))
    try await worker.send(.heartbeat(.with { $0.leaseIds = [job.leaseID] }))
    guard case .lease(let renewed) = try await worker.next() else { throw Failure(.internal, "ASKED_AGAIN", "") }
    #expect(renewed.renewed == [job.leaseID] && renewed.committedBatch == 0)
    call.mayEnd.continuation.yield()
    guard case .lease(let stored) = try await worker.next() else { throw Failure(.internal, "NOT_STORED", "") }
    #expect(stored.committedBatch == 1)

    let result = WorkResult.with {
      $0.jobID = job.jobID
      $0.leaseID = job.leaseID
    }
    try await worker.send(.final(result, []))
    _ = try await answer.value
    await self.end(post, plane)
  }

  @Test func aBatchThatCannotBeReadEndsItsCall() async throws {
    let post = try await WorkerPortTests.Post()
    let plane = try await post.open()
    let worker = try await WrittenWorker.start(post, FetchItemsRequest.method)
    let answer = Call().start(plane)
    let job = try await worker.job()
    var partial = Partial()
    partial.jobID = job.jobID
    partial.leaseID = job.leaseID
    partial.batchSeq = 1
    try await worker.send(.partial(partial, [0xFF, 0xFF, 0xFF]))
    let failure = await #expect(throws: Failure.self) { try await answer.value }
    #expect(failure?.reason == "MALFORMED")
    // Nobody makes it again.
    try await post.until(plane) { $0.queued == 0 && $0.leased == 0 }
    await self.end(post, plane)
  }
}

/// A worker that says what a test has it say.
private actor WrittenWorker: LoopActor {
  nonisolated let loop: LoopExecutor
  private nonisolated let heard = AsyncStream<WorkMessage>.makeStream()
  private var socket: Socket
  private var watch: Watch?
  private var message = MultipartMessage(capacity: 16)

  static func start(_ post: WorkerPortTests.Post, _ method: KithMessages.Method) async throws -> WrittenWorker {
    let worker = try WrittenWorker(post)
    try await worker.connect(post.endpoint)
    let ready = Ready.with {
      $0.workerName = "written"
      $0.instanceID = "one"
      $0.capabilities = [.with { $0.name = method.name }]
      $0.credit = 1
    }
    try await worker.send(.ready(ready))
    return worker
  }

  private init(_ post: WorkerPortTests.Post) throws {
    self.loop = post.loop
    self.socket = try post.context.makeSocket(.dealer)
    try self.socket.set(.linger, .zero)
  }

  isolated deinit {}

  private func connect(_ endpoint: IPCEndpoint) throws {
    try self.socket.connect(endpoint.url)
    self.watch = self.watch(self.socket.source, for: .readable) { worker, _ in try? worker.readable() }
  }

  func send(_ message: WorkMessage) throws {
    self.message.removeAll()
    for bytes in try WorkFrame(message).encoded() { try self.message.append(bytes) }
    _ = try self.socket.send(&self.message)
  }

  private func readable() throws {
    while try self.socket.receive(&self.message) == .received {
      let frames = (0..<self.message.count).map { self.message.bytes(at: $0) }
      guard case .accepted(let frame) = WorkFrame.decode(frames) else { continue }
      switch frame.message {
      // It names no leases, so the hub does not answer it.
      case .heartbeat: try self.send(.heartbeat(Heartbeat()))
      case .welcome: break
      default: self.heard.continuation.yield(frame.message)
      }
    }
  }

  /// What the hub says next of jobs and bodies.
  nonisolated func next() async throws -> WorkMessage {
    for await message in self.heard.stream { return message }
    throw CancellationError()
  }

  nonisolated func job() async throws -> Job {
    guard case .job(let job, _) = try await self.next() else { throw Failure(.internal, "NO_JOB", "") }
    return job
  }
}
