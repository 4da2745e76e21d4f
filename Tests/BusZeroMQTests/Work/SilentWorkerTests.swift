import Bus
import EventLoop
import Glibc
import KithMessages
import SwiftProtobuf
import TestKit
import Testing
import ZeroMQ

@testable import BusZeroMQ

/// A worker that stops in the middle of a message, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct SilentWorkerTests {
  /// A store without jobs.
  private struct NoJobs: JobStore {
    func open(_ draft: JobRecord) async throws(Failure) -> JobRecord { draft }
    func apply(_ changes: [JobRecord]) async throws(Failure) {}
    func unended() async throws(Failure) -> [JobRecord] { [] }
    func announce(_ service: String, isServed: Bool) async {}
  }

  @Test func itsBodiesGoWithIt() async throws {
    let room = try TestRoom()
    let access = AccessPolicy(ownUserID: geteuid())
    let zap = try await ZAPHandler.start(context: room.context, loop: room.loop, logger: TestRoom.logger) {
      access.decide($0)
    }
    defer { withExtendedLifetime(zap) {} }
    let plane = try WorkPlane(
      context: room.context, loop: room.loop, store: NoJobs(), codecs: [JobCodec(DeliverRequest.self)], access: access,
      logger: TestRoom.logger)
    await plane.use(
      WorkTiming(heartbeat: .milliseconds(50), silence: .milliseconds(500), grace: .milliseconds(50)))
    let endpoint = try IPCEndpoint(path: room.control)
    try await plane.bind(endpoint)

    var worker = try room.context.makeSocket(.dealer)
    var message = MultipartMessage(capacity: 16)
    try worker.set(.linger, .zero)
    try worker.connect(endpoint.url)
    let ready = Ready.with {
      $0.workerName = "one"
      $0.instanceID = "a"
      $0.capabilities = [.with { $0.name = DeliverRequest.method.name }]
      $0.credit = 1
    }
    let chunk = Chunk.with {
      $0.sha256 = String(repeating: "a", count: 64)
      $0.size = 6
    }
    for frame in [WorkFrame(.ready(ready)), WorkFrame(.chunk(chunk, [1, 2, 3]))] {
      message.removeAll()
      for bytes in try frame.encoded() { try message.append(bytes) }
      _ = try worker.send(&message)
    }
    var hasArrived = false
    while !hasArrived {
      try Task.checkCancellation()
      await Task.yield()
      guard try worker.receive(&message) == .received,
        case .accepted(let frame) = WorkFrame.decode((0..<message.count).map { message.bytes(at: $0) })
      else { continue }
      if case .chunkAck(let ack) = frame.message { hasArrived = ack.nextOffset == 3 }
    }
    try await until { await plane.heldBytes == 0 }
    #expect(await plane.status(placed: []).workers.isEmpty)
    await plane.close()
  }
}

extension WorkPlane {
  fileprivate var heldBytes: Int { self.uploads.bytes }
  fileprivate func use(_ timing: WorkTiming) { self.table = LeaseTable(timing: timing) }
}
