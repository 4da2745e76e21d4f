import Bus
import BusZeroMQ
import EventLoop
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing
import ZeroMQ

@Suite("The port over ZeroMQ", .timeLimit(.minutes(5)))
struct ZeroMQPortTests {
  private let room: TestRoom

  init() throws { self.room = try TestRoom() }

  private func ping(_ text: String) -> PingRequest { .with { $0.echo = Data(text.utf8) } }

  private func failure(_ body: () async throws -> Void) async -> Failure? {
    do {
      try await body()
      return nil
    } catch {
      return error as? Failure
    }
  }

  @Test("Many calls in flight get their own answers, at most 64 of them with the hub")
  func manyCalls() async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in [request.echo()] }
    let port = self.room.port()
    let answers = try await withThrowingTaskGroup(of: String.self) { group in
      for index in 0..<500 {
        group.addTask { String(decoding: try await port.ask(self.ping("\(index)")).echo, as: UTF8.self) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(answers == Set((0..<500).map(String.init)))
    #expect(await hub.commands.count == 500)
    let (requests, peers) = (await hub.requests, await hub.peers)
    #expect(peers.count == 1 || requests.contains { $0.header.attempt > 0 })
    await port.close()
  }

  @Test("A lost command is sent again with the same id, on a new socket")
  func resend() async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, count in count == 2 ? [request.echo()] : [] }
    let port = self.room.port()
    #expect(try await port.ask(self.ping("a")).echo == Data("a".utf8))
    let requests = await hub.requests
    #expect(requests.count >= 2)
    #expect(Set(requests.map(\.header.requestID)).count == 1)
    #expect(requests.prefix(2).map(\.header.attempt) == [0, 1])
    #expect(await hub.peers.count >= 2)
    await port.close()
  }

  @Test(
    "Lost commands are sent again in the order in which they were made, also before those that run", arguments: 0..<3)
  func order(round: Int) async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, count in
      guard count == 1 else { return [request.echo()] }
      return request.body == (try? Encoding.pb.encode(self.ping("3"))) ? [request.partial(0)] : []
    }
    let port = self.room.port()
    try await withThrowingTaskGroup { group in
      for index in 0..<12 {
        group.addTask { _ = try await port.ask(self.ping("\(index)")) }
        // The next one is made when the hub has this one.
        while await hub.commands.count <= index { await Task.yield() }
      }
      try await group.waitForAll()
    }
    // On a busy machine some are sent again before the last ones are made.
    let sent = await hub.requests
    let first = await hub.commands.map(\.header.requestID)
    #expect(first.count == 12)
    #expect(sent.filter { $0.header.attempt == 1 }.map(\.header.requestID) == first)
    #expect(await hub.peers.count >= 2)
    await port.close()
  }

  @Test("Commands keep their order where sending all of them takes longer than connecting", arguments: 0..<3)
  func orderOfLongCommands(round: Int) async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, count in count == 1 ? [] : [request.echo()] }
    let port = self.room.port()
    let long = String(repeating: "long", count: 50_000)
    try await withThrowingTaskGroup { group in
      for index in 0..<60 {
        group.addTask { _ = try await port.ask(self.ping("\(index) \(long)")) }
        while await hub.commands.count <= index { await Task.yield() }
      }
      try await group.waitForAll()
    }
    let sent = await hub.requests
    let first = await hub.commands.map(\.header.requestID)
    #expect(first.count == 60)
    #expect(sent.filter { $0.header.attempt == 1 }.map(\.header.requestID) == first)
    await port.close()
  }

  @Test("Progress is reported, and only to who wants it")
  func progress() async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in
      let half = (try? Encoding.pb.encode(Progress.with { $0.fraction = 0.5 })) ?? []
      return [request.partial(0), request.partial(1, half), request.echo()]
    }
    let port = self.room.port()
    let seen = Lock<[Float]>([])
    _ = try await port.ask(
      self.ping("a"), CallContext(progress: { progress in seen.withLock { $0.append(progress.fraction) } }))
    _ = try await port.ask(self.ping("b"))
    #expect(seen.withLock { $0 } == [0.5])
    #expect(await hub.commands.map(\.header.wantProgress) == [true, false])
    await port.close()
  }

  @Test("A status that is not OK is thrown")
  func failure() async throws {
    let refusal = Failure(.permissionDenied, "ROLE_NOT_ALLOWED", "no")
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in
      [.final(failure: refusal, to: request.header.requestID, service: request.service, encoding: request.encoding)]
    }
    let port = self.room.port()
    #expect(await self.failure { _ = try await port.ask(self.ping("a")) } == refusal)
    #expect(await hub.commands.count == 1)
    await port.close()
  }

  @Test("Answers that come twice, or to nobody, are ignored")
  func duplicates() async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in
      var stray = request.echo()
      stray.header.requestID = "nobody"
      return [stray, request.echo(), request.echo(), request.partial(3)]
    }
    let port = self.room.port()
    for index in 0..<10 { #expect(try await port.ask(self.ping("\(index)")).echo == Data("\(index)".utf8)) }
    #expect(await hub.commands.count == 10)
    await port.close()
  }

  @Test("Without a hub a call fails soon and says how to start one")
  func absent() async throws {
    let port = self.room.port(connectLimit: .milliseconds(100))
    let failure = await self.failure { _ = try await port.ask(self.ping("a")) }
    #expect(failure?.reason == "HUB_NOT_RUNNING")
    #expect(failure?.message.contains("kithd") == true)
    await port.close()
  }

  @Test(
    "Where nothing listens a call fails at once, whatever its limit, and the next one finds a hub that came meanwhile")
  func gone() async throws {
    let port = self.room.port(connectLimit: .seconds(3600))
    let never = await self.failure { _ = try await port.ask(self.ping("a")) }
    #expect(never?.reason == "HUB_NOT_RUNNING")
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in [request.echo()] }
    #expect(try await port.ask(self.ping("b")).echo == Data("b".utf8))
    #expect(await hub.commands.count == 1)
    await port.close()
  }

  @Test("A call without a limit waits for the hub")
  func late() async throws {
    let port = self.room.port()
    async let answer = port.ask(self.ping("a"))
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in [request.echo()] }
    #expect(try await answer.echo == Data("a".utf8))
    #expect(await hub.commands.count == 1)
    await port.close()
  }

  @Test("A hub that never answers ends with the caller's time")
  func deadline() async throws {
    let hub = try await ScriptedHub.start(in: self.room)
    let port = self.room.port()
    let failure = await self.failure {
      _ = try await port.ask(self.ping("a"), CallContext(timeout: .seconds(5)))
    }
    #expect(failure?.code == .deadlineExceeded)
    #expect(await hub.requests.first?.header.timeoutMs == 5000)
    await port.close()
  }

  @Test("A cancelled task is resumed at once, and the hub is told")
  func cancellation() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: String.self)
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in
      arrived.yield(request.service)
      return []
    }
    let port = self.room.port()
    let task = Task { try await port.ask(self.ping("a"), CallContext(requestID: "r")) }
    var iterator = arrivals.makeAsyncIterator()
    #expect(await iterator.next() == "kith.v1.System/Ping")
    task.cancel()
    #expect(await self.failure { _ = try await task.value } == .cancelled)
    var next = await iterator.next()
    // On a busy machine it may have been sent again before it was cancelled.
    while next == "kith.v1.System/Ping" { next = await iterator.next() }
    #expect(next == "kith.v1.System/Cancel")
    let body = try #require(await hub.requests.last { $0.service == "kith.v1.System/Cancel" }?.body)
    #expect(try Encoding.pb.decode(CancelRequest.self, from: body).requestID == "r")
    await port.close()
  }

  @Test("A task that is cancelled before it calls sends nothing")
  func cancelledBefore() async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in [request.echo()] }
    let port = self.room.port()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await port.ask(self.ping("a"))
    }
    #expect(await self.failure { try await task.value } == .cancelled)
    _ = try await port.ask(self.ping("b"))
    #expect(await hub.commands.count == 1)
    await port.close()
  }

  @Test("The same request made twice at once is sent once; another one under its id is refused")
  func joined() async throws {
    let mayAnswer = Lock(false)
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in
      mayAnswer.withLock(\.self) ? [request.echo()] : []
    }
    let port = self.room.port()
    async let first = port.ask(self.ping("a"), CallContext(requestID: "r"))
    try await until { await !hub.requests.isEmpty }
    async let second = port.ask(self.ping("a"), CallContext(requestID: "r"))
    let refused = await self.failure { _ = try await port.ask(self.ping("b"), CallContext(requestID: "r")) }
    #expect(refused?.reason == "IDEMPOTENCY_KEY_REUSED")
    mayAnswer.withLock { $0 = true }
    #expect(try await first == second)
    // What is lost is sent again, as another attempt.
    let attempts = await hub.requests.map(\.header.attempt)
    #expect(attempts.count >= 2 && attempts.count { $0 == 0 } == 1)
    await port.close()
  }

  @Test("A closed port fails what waits and what comes")
  func closed() async throws {
    let port = self.room.port()
    async let waiting = self.failure { _ = try await port.ask(self.ping("a")) }
    await port.close()
    #expect(await waiting?.reason == "SHUTTING_DOWN")
    #expect(await self.failure { _ = try await port.ask(self.ping("b")) }?.reason == "SHUTTING_DOWN")
  }

  @Test("Code on the loop calls without a task")
  func onLoop() async throws {
    let hub = try await ScriptedHub.start(in: self.room) { request, _ in [request.echo()] }
    let port = self.room.port()
    let command = self.ping("a")
    let outcome: Result<Answer<PingReply>, Failure> = await withCheckedContinuation { continuation in
      port.post { $0.start(command) { continuation.resume(returning: $0) } }
    }
    #expect(try outcome.get().reply.echo == Data("a".utf8))
    #expect(await hub.commands.count == 1)
    await port.close()
  }

  @Test("A command that is too large is refused before it is sent")
  func oversize() async throws {
    let port = self.room.port()
    let failure = await self.failure {
      _ = try await port.ask(.with { $0.echo = Data(repeating: 0, count: WireLimits.body + 1) } as PingRequest)
    }
    #expect(failure?.reason == "BODY_TOO_LARGE")
    await port.close()
  }
}
