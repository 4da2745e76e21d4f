import Bus
import Digest
import EventLoop
import Glibc
import KithMessages
import Logging
import Storage
import TestKit
import Testing
import ZeroMQ

@testable import BusZeroMQ

/// The ways to the same handlers that the contract is checked on.
enum Way: String, CaseIterable, CustomTestStringConvertible {
  case inProcess
  case zeroMQ
  /// ZeroMQ over tcp, by a key.
  case curveZeroMQ
  /// ZeroMQ through a relay that loses, delays and repeats messages.
  case lossyZeroMQ

  var testDescription: String { self.rawValue }
}

/// A store, a router with handlers that can be watched, and a port to them.
final class Fixture: Sendable {
  let directory: TemporaryDirectory
  let storage: StorageActor
  let port: any Port
  /// How often the mutating handler ran to its commit.
  let runs = Lock(0)
  /// Whether the handler that waits at the gate has begun.
  let begun = Lock(false)
  let gate = Gate()

  private let context: Context
  private let plane: ControlPlane
  private let zap: ZAPHandler
  private let relay: LossyRelay?

  init(_ way: Way, seed: UInt64 = 1, socket: String = "c.sock") async throws {
    var logger = Logger(label: "contract")
    logger.logLevel = .error
    let directory = try TemporaryDirectory()
    let storage = try StorageActor(directory: directory.file("state"), logger: logger) { _ in }
    let (runs, begun, gate) = (self.runs, self.begun, self.gate)
    let router = Router(
      Self.routes(storage, runs, begun, gate), journal: storage, contentKey: HMACKey([1]), logger: logger)

    let loop = try LoopExecutor(name: "contract", poller: Poller(), logger: logger)
    self.context = try Context()
    let access = AccessPolicy(ownUserID: geteuid())
    self.zap = try await ZAPHandler.start(context: self.context, loop: loop, logger: logger) { access.decide($0) }
    self.plane = try ControlPlane(context: self.context, loop: loop, router: router, access: access, logger: logger)
    let endpoint = try IPCEndpoint(path: directory.file(socket))
    try await self.plane.bind(endpoint)

    var address = endpoint.url
    var identity: CurveIdentity?
    if way == .curveZeroMQ {
      let (server, client) = (try CurveKeyPair.random(), try CurveKeyPair.random())
      access.setKeys([client.publicKey: .approved(KeyGrant(name: "contract", role: .admin))])
      address = try await self.plane.listen([TCPListener(address: "127.0.0.1", port: 0, keys: server)])[0]
      identity = CurveIdentity(keys: client, serverKey: server.publicKey)
    }
    var relay: LossyRelay?
    if way == .lossyZeroMQ {
      let front = try IPCEndpoint(path: directory.file("r.sock"))
      relay = try await LossyRelay.start(context: self.context, loop: loop, front: front, back: address, seed: seed)
      address = front.url
    }
    self.relay = relay
    self.directory = directory
    self.storage = storage
    switch way {
    case .inProcess:
      self.port = router
    case .zeroMQ, .curveZeroMQ, .lossyZeroMQ:
      self.port = ZeroMQPort(
        context: self.context, loop: loop, endpoint: address, identity: identity, logger: logger)
    }
  }

  private static func routes(
    _ storage: StorageActor, _ runs: Lock<Int>, _ begun: Lock<Bool>, _ gate: Gate
  ) -> [Route] {
    [
      Route(answering: BlobGetRequest.self) { request, context throws(Failure) in
        var reply = BlobGetReply()
        reply.offset = request.offset
        return Answer(reply, attachments: context.attachments + [[1, 2, 3]])
      },
      Route(GetContactRequest.self) { request, _ throws(Failure) in
        guard request.id != "nobody" else { throw Failure.unknownRecord("contact", "There is no contact nobody.") }
        var reply = GetContactReply()
        reply.contact.id = request.id
        return reply
      },
      Route(TestSourceRequest.self) { _, _ throws(Failure) in
        begun.withLock { $0 = true }
        await gate.waitForCancellation()
        throw Failure.cancelled
      },
      Route(answering: RemoveSourceRequest.self) { request, context throws(Failure) in
        try await storage.commit(RemoveSourceRequest.self, context) { transaction throws(Failure) in
          var event = Event()
          event.changed.ids = [request.name]
          try transaction.emit(event, on: "contacts", key: request.name)
          runs.withLock { $0 += 1 }
          var reply = RemoveSourceReply()
          reply.contactsRemoved = UInt32(request.name.utf8.count)
          return reply
        }
      },
      Route(answering: SyncRequest.self) { request, context throws(Failure) in
        for step in 1...3 {
          var progress = Progress()
          progress.fraction = Float(step) / 3
          context.progress?(progress)
        }
        return try await storage.commit(SyncRequest.self, context) { _ throws(Failure) in SyncReply() }
      },
    ]
  }
}
