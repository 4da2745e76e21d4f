import EventLoop
import Glibc
import KithMessages
import Logging
import Storage
import TestKit
import Testing
import ZeroMQ

@testable import Bus
@testable import BusZeroMQ

/// Calls through workers are made again under their names: over a stop of the hub, and whatever came of them.
@Suite(.timeLimit(.minutes(5))) struct WorkerPortTests {
  /// A store and a hub's work plane on it, which may be another one later, and a worker whose deliveries a test holds.
  final class Post: Sendable {
    let directory: TemporaryDirectory
    let storage: StorageActor
    let began = AsyncStream<Void>.makeStream()
    let mayEnd = AsyncStream<Void>.makeStream()
    let runs = Lock<[String]>([])
    let endpoint: IPCEndpoint
    let context: Context
    let loop: LoopExecutor
    private let access = AccessPolicy(ownUserID: geteuid())
    private let zap: ZAPHandler
    private let logger: Logger

    init() async throws {
      var logger = Logger(label: "work")
      logger.logLevel = .error
      self.logger = logger
      self.directory = try TemporaryDirectory()
      self.storage = try StorageActor(directory: self.directory.file("state"), logger: logger) { _ in }
      self.loop = try LoopExecutor(name: "work", poller: Poller(), logger: logger)
      self.context = try Context()
      let access = self.access
      self.zap = try await ZAPHandler.start(context: self.context, loop: self.loop, logger: logger) {
        access.decide($0)
      }
      self.endpoint = try IPCEndpoint(path: self.directory.file("w.sock"))
    }

    /// A hub comes up.
    func open() async throws -> WorkPlane {
      let plane = try WorkPlane(
        context: self.context, loop: self.loop, store: self.storage,
        codecs: [JobCodec(DeliverRequest.self), JobCodec(inBatches: FetchItemsRequest.self)], access: self.access,
        logger: self.logger)
      try await plane.restore()
      try await plane.bind(self.endpoint)
      return plane
    }

    /// The hub goes, and with it who waits for an answer; workers go on.
    func stop(_ plane: WorkPlane, _ call: Task<DeliverReply, any Error>) async throws {
      await plane.beginClosing()
      call.cancel()
      let failure = await #expect(throws: Failure.self) { try await call.value }
      #expect(failure?.reason == "SHUTTING_DOWN")
      await plane.close()
      unlink(self.endpoint.path)
    }

    func worker() -> WorkerConnection {
      let deliver = Route(DeliverRequest.self) { request, _ throws(Failure) in
        self.runs.withLock { $0.append(request.id) }
        self.began.continuation.yield()
        guard request.id != "refused" else { throw Failure(.invalidArgument, "CHANNEL_REFUSED", "no") }
        for await _ in self.mayEnd.stream { break }
        var reply = DeliverReply()
        reply.receipt = "receipt of \(request.id)"
        return reply
      }
      return WorkerConnection(
        context: self.context, loop: self.loop, endpoint: self.endpoint.url, name: "post", slots: 2,
        services: LocalBatchPort([deliver], batches: []), logger: self.logger)
    }

    func ask(
      _ id: String, under key: String, _ plane: WorkPlane, timeout: Duration? = nil
    ) -> Task<DeliverReply, any Error> {
      var request = DeliverRequest()
      request.id = id
      return Task { [request] in
        try await WorkerPort(plane).ask(request, CallContext(idempotencyKey: key, timeout: timeout))
      }
    }

    /// Waits until the plane says so of itself.
    func until(_ plane: WorkPlane, _ condition: (WorkStatus) -> Bool) async throws {
      try await TestKit.until { condition(await plane.status(placed: [])) }
    }

    /// Ends a worker, its plane and the store.
    func close(_ plane: WorkPlane, _ worker: WorkerConnection, _ serving: Task<Void, any Error>) async throws {
      await worker.drain()
      try await serving.value
      await plane.close()
      await self.storage.close()
    }
  }

  @Test func whatAWorkerIsAtWhenTheHubStopsIsDoneOnce() async throws {
    let post = try await Post()
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    let first = try await post.open()
    let call = post.ask("one", under: "attempt", first)
    for await _ in post.began.stream { break }
    try await post.stop(first, call)

    let second = try await post.open()
    // What it asks for by now may be something else: it is the attempt that counts.
    let again = post.ask("two", under: "attempt", second)
    post.mayEnd.continuation.finish()
    #expect(try await again.value.receipt == "receipt of one")
    #expect(try await post.ask("three", under: "attempt", second).value.receipt == "receipt of one")
    #expect(post.runs.withLock { $0 } == ["one"])
    #expect(try await post.ask("four", under: "another attempt", second).value.receipt == "receipt of four")
    try await post.close(second, worker, serving)
  }

  @Test func aJobThatCannotBeSentFails() async throws {
    let post = try await Post()
    let plane = try await post.open()
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    try await post.until(plane) { $0.workers.count == 1 }
    // The digests of so many do not fit a header.
    let inputs = (UInt8(0)..<100).map { [$0] }
    let failure = await #expect(throws: Failure.self) {
      try await WorkerPort(plane).ask(DeliverRequest(), CallContext(timeout: .seconds(50), attachments: inputs))
    }
    #expect(failure?.reason == "BODY_TOO_LARGE")
    post.mayEnd.continuation.finish()
    #expect(try await post.ask("next", under: "next", plane).value.receipt == "receipt of next")
    try await post.close(plane, worker, serving)
  }

  @Test func theJobOfACommandIsFoundByItsID() async throws {
    let post = try await Post()
    let plane = try await post.open()
    let call = InFlightCommands.$current.withValue(CommandID(principal: "uid:1", key: "k")) {
      post.ask("one", under: "attempt", plane)
    }
    try await post.until(plane) { $0.queued == 1 }
    let job = try await post.storage.read { view throws(Failure) in try view.jobs.page(ListJobsRequest()).jobs[0].jobID
    }
    #expect(await plane.command(of: job) == CommandID(principal: "uid:1", key: "k"))
    #expect(await plane.command(of: "another") == nil)
    // A person ends it: nobody has it.
    #expect(await plane.cancel(job) == .cancelled)
    let failure = await #expect(throws: Failure.self) { try await call.value }
    #expect(failure == .cancelled)
    #expect(await plane.cancel(job) == nil)
    await plane.close()
    await post.storage.close()
  }

  @Test func whatWaitedWhenTheHubStoppedWaitsForItsCaller() async throws {
    let post = try await Post()
    let first = try await post.open()
    let call = post.ask("one", under: "attempt", first)
    try await post.until(first) { $0.queued == 1 }
    try await post.stop(first, call)

    let second = try await post.open()
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    try await post.until(second) { $0.workers.count == 1 }
    post.mayEnd.continuation.finish()
    // Jobs are given in the order in which they wait.
    _ = try await post.ask("other", under: "other", second).value
    #expect(post.runs.withLock { $0 } == ["other"])
    #expect(try await post.ask("two", under: "attempt", second).value.receipt == "receipt of one")
    #expect(post.runs.withLock { $0 } == ["other", "one"])
    try await post.close(second, worker, serving)
  }

  @Test func whatAPersonWantsTriedAgainWaitsForItsCaller() async throws {
    let post = try await Post()
    let plane = try await post.open()
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    try await post.until(plane) { $0.workers.count == 1 }
    post.mayEnd.continuation.finish()
    var request = DeliverRequest()
    request.id = "one"
    var job = JobRecord(
      id: "job", key: JobRecord.key(DeliverRequest.method, named: "attempt"), isKept: true,
      service: DeliverRequest.method.name, command: try Encoding.pb.encode(request), inputs: [], createdAt: 1)
    _ = try await post.storage.open(job)
    job.state = .dead
    try await post.storage.apply([job])
    let record = try await post.storage.write { transaction throws(Failure) in
      var record = try transaction.jobs.require("job")
      try transaction.jobs.retry(&record, now: 2)
      return record
    }
    await plane.retry(record)
    #expect(await plane.waitsFor("job") == .caller)
    _ = try await post.ask("other", under: "other", plane).value
    #expect(post.runs.withLock { $0 } == ["other"], "what belongs to it is with its caller")
    #expect(try await post.ask("two", under: "attempt", plane).value.receipt == "receipt of one")
    #expect(post.runs.withLock { $0 } == ["other", "one"])
    try await post.close(plane, worker, serving)
  }

  @Test func aFailureIsTheEndOfItsAttempt() async throws {
    let post = try await Post()
    let plane = try await post.open()
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    for _ in 1...2 {
      let failure = await #expect(throws: Failure.self) {
        try await post.ask("refused", under: "attempt", plane).value
      }
      #expect(failure?.reason == "CHANNEL_REFUSED")
    }
    #expect(post.runs.withLock { $0 } == ["refused"])
    try await post.close(plane, worker, serving)
  }

  @Test func whatWasGivenToNobodyHasNotHappened() async throws {
    let post = try await Post()
    let plane = try await post.open()
    let worker = post.worker()
    let serving = Task { try await worker.run() }
    let first = post.ask("one", under: "one", plane)
    let second = post.ask("two", under: "two", plane)
    for await _ in post.began.stream.prefix(2) {}
    let failure = await #expect(throws: Failure.self) {
      try await post.ask("three", under: "three", plane, timeout: .milliseconds(100)).value
    }
    #expect(failure?.code == .resourceExhausted && failure?.reason == "NO_CREDIT")
    // And of what is with a worker nobody can say.
    let late = await #expect(throws: Failure.self) {
      try await post.ask("two", under: "two", plane, timeout: .milliseconds(100)).value
    }
    #expect(late?.reason == "RUNNING_TOO_LONG")
    post.mayEnd.continuation.finish()
    _ = try await first.value
    _ = await second.result
    #expect(post.runs.withLock { $0.sorted() } == ["one", "two"])
    try await post.close(plane, worker, serving)
  }

  @Test(arguments: [false, true]) func withoutAWorkerItMayHaveHappenedIfOneHadIt(wasGiven: Bool) {
    let failure = WorkerPort.late(DeliverRequest.method, .worker, wasGiven: wasGiven)
    #expect(failure.reason == "NO_WORKER" && (failure.status.details["outcome"] == "unknown") == wasGiven)
  }

  @Test func whatNobodyWaitsForIsDroppedAfterAWhile() async throws {
    let post = try await Post()
    let first = try await post.open()
    let call = post.ask("one", under: "attempt", first)
    try await post.until(first) { $0.queued == 1 }
    try await post.stop(first, call)

    let second = try await post.open()
    await second.dropUnwanted()
    #expect(await second.status(placed: []).queued == 1, "its caller may be on the way")
    await second.dropUnwanted()
    #expect(await second.status(placed: []).queued == 0)
    await second.close()
    let states = try await post.storage.read { view throws(Failure) in
      try view.jobs.page(ListJobsRequest()).jobs.map(\.state)
    }
    #expect(states == ["cancelled"])
    await post.storage.close()
  }
}
