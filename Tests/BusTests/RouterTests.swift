import Digest
import EventLoop
import Foundation
import KithMessages
import Logging
import SwiftProtobuf
import TestKit
import Testing

@testable import Bus

/// A command runs once however often it is sent, and every call returns.
@Suite(.timeLimit(.minutes(5)))
struct RouterTests {
  let journal = MemoryJournal()
  private let runs = Lock(0)

  func router(
    _ routes: [Route], _ inFlight: InFlightCommands = InFlightCommands(),
    commandOfJob: @escaping @Sendable (String) async -> CommandID? = { _ in nil }
  ) -> Router {
    Router(
      routes, inFlight: inFlight, journal: self.journal, contentKey: HMACKey([1, 2, 3]), commandOfJob: commandOfJob,
      logger: Logger(label: "test"))
  }

  /// A long method that counts its runs and commits.
  private var sync: Route {
    Route(SyncRequest.self) { [journal, runs] _, context throws(Failure) in
      runs.withLock { $0 += 1 }
      let outcome = CommandOutcome(reply: [], effects: [])
      if let ticket = context.ticket {
        await journal.store(ticket, outcome)
        ticket.settle(outcome)
      }
      return SyncReply()
    }
  }

  /// A method that does not end by itself, and records the command that it works for.
  static func slow(_ gate: Gate, _ command: Lock<CommandID?> = Lock(nil)) -> Route {
    Route(TestSourceRequest.self) { _, _ throws(Failure) in
      command.withLock { $0 = InFlightCommands.current }
      await gate.waitForCancellation()
      throw Failure.cancelled
    }
  }

  /// A mutating method that counts its runs and commits.
  private var remove: Route {
    Route(RemoveSourceRequest.self) { [journal, runs] _, context throws(Failure) in
      runs.withLock { $0 += 1 }
      await Self.commit(journal, context, removed: 3)
      var reply = RemoveSourceReply()
      reply.contactsRemoved = 3
      return reply
    }
  }

  private static func commit(_ journal: MemoryJournal, _ context: CallContext, removed: UInt32) async {
    guard let ticket = context.ticket else { return }
    var reply = RemoveSourceReply()
    reply.contactsRemoved = removed
    let bytes: [UInt8] = (try? reply.serializedBytes()) ?? []
    let outcome = CommandOutcome(reply: bytes, effects: [])
    await journal.store(ticket, outcome)
    ticket.settle(outcome)
  }

  @Test func aReadingCommandIsAnswered() async throws {
    let router = self.router([
      Route(PingRequest.self) { request, _ throws(Failure) in
        var reply = PingReply()
        reply.echo = request.echo
        return reply
      }
    ])
    var ping = PingRequest()
    ping.echo = Data([1, 2])
    #expect(try await router.ask(ping).echo == ping.echo)
  }

  @Test func anUnservedMethodIsSaidSo() async {
    let failure = await #expect(throws: Failure.self) { try await self.router([]).ask(PingRequest()) }
    #expect(failure?.reason == "SERVICE_UNKNOWN")
  }

  @Test func theRoleIsAskedForEachCommand() async {
    let context = CallContext(principal: Principal(name: "uid:1", role: .viewer))
    let failure = await #expect(throws: Failure.self) {
      try await self.router([self.remove]).ask(RemoveSourceRequest(), context)
    }
    #expect(failure?.code == .permissionDenied)
    #expect(self.runs.withLock(\.self) == 0)
  }

  @Test func theSameKeyGetsTheStoredAnswer() async throws {
    let router = self.router([self.remove])
    let context = CallContext(requestID: "one")
    let first = try await router.call(RemoveSourceRequest(), context)
    let second = try await router.call(RemoveSourceRequest(), context)
    #expect(!first.isReplayed)
    #expect(second.isReplayed)
    #expect(first.reply == second.reply)
    #expect(self.runs.withLock(\.self) == 1)
  }

  @Test func theSameKeyWithOtherContentIsRefused() async throws {
    let router = self.router([self.remove])
    _ = try await router.call(RemoveSourceRequest(), CallContext(requestID: "one"))
    var other = RemoveSourceRequest()
    other.name = "other"
    let failure = await #expect(throws: Failure.self) { try await router.call(other, CallContext(requestID: "one")) }
    #expect(failure?.reason == "IDEMPOTENCY_KEY_REUSED")
    // The same key of another principal is a different key.
    _ = try await router.call(
      other, CallContext(requestID: "one", principal: Principal(name: "uid:2", role: .admin)))
    #expect(self.runs.withLock(\.self) == 2)
  }

  @Test func callersWithOneKeyShareOneRun() async throws {
    let gate = Gate()
    let inFlight = InFlightCommands()
    let router = self.router(
      [
        Route(RemoveSourceRequest.self) { [journal, runs] _, context throws(Failure) in
          runs.withLock { $0 += 1 }
          await gate.wait()
          await Self.commit(journal, context, removed: 1)
          return RemoveSourceReply()
        }
      ], inFlight)
    try await withThrowingTaskGroup(of: UInt32.self) { group in
      for _ in 0..<8 {
        group.addTask { try await router.ask(RemoveSourceRequest(), CallContext(requestID: "one")).contactsRemoved }
      }
      await gate.arrival()
      gate.open()
      for try await removed in group { #expect(removed == 1) }
    }
    #expect(self.runs.withLock(\.self) == 1)
    #expect(inFlight.count == 0)
  }

  @Test func aHandlerThatDoesNotCommitIsAFault() async {
    let router = self.router([Route(RemoveSourceRequest.self) { _, _ throws(Failure) in RemoveSourceReply() }])
    let failure = await #expect(throws: Failure.self) { try await router.ask(RemoveSourceRequest()) }
    #expect(failure?.code == .internal)
  }

  @Test func aLongCommandIsAcceptedFirstAndForgottenWhenItMayBeRepeated() async throws {
    let failing = Lock(true)
    let router = self.router([
      Route(SyncRequest.self) { [journal] _, context throws(Failure) in
        #expect(await journal.count == 1, "accepted before it runs")
        guard !failing.withLock(\.self) else { throw Failure(.unavailable, "UPSTREAM_DOWN", "down") }
        let outcome = CommandOutcome(reply: [], effects: [])
        if let ticket = context.ticket {
          await journal.store(ticket, outcome)
          ticket.settle(outcome)
        }
        return SyncReply()
      }
    ])
    let context = CallContext(requestID: "sync")
    await #expect(throws: Failure.self) { try await router.ask(SyncRequest(), context) }
    #expect(await self.journal.count == 0)
    failing.withLock { $0 = false }
    _ = try await router.ask(SyncRequest(), context)
    #expect(try await router.call(SyncRequest(), context).isReplayed)
  }

  @Test func aFinalFailureOfALongCommandIsKept() async {
    let router = self.router([
      Route(SyncRequest.self) { [runs] _, _ throws(Failure) in
        runs.withLock { $0 += 1 }
        throw Failure(.notFound, "RECORD_UNKNOWN", "no such source")
      }
    ])
    for _ in 0..<2 {
      let failure = await #expect(throws: Failure.self) {
        try await router.ask(SyncRequest(), CallContext(requestID: "sync"))
      }
      #expect(failure?.reason == "RECORD_UNKNOWN")
    }
    #expect(self.runs.withLock(\.self) == 1)
  }

  @Test func twoReadsUnderOneIDAreNotTakenForOne() async throws {
    let gate = Gate()
    let router = self.router([
      Route(ListCareRequest.self) { _, _ throws(Failure) in
        await gate.wait()
        var reply = ListCareReply()
        reply.nextCursor = "list"
        return reply
      },
      Route(SearchCareRequest.self) { _, _ throws(Failure) in
        var reply = ListCareReply()
        reply.nextCursor = "search"
        return reply
      },
    ])
    let list = Task { try await router.ask(ListCareRequest(), CallContext(requestID: "one")) }
    await gate.arrival()
    defer { gate.open() }
    let failure = await #expect(throws: Failure.self) {
      try await router.ask(SearchCareRequest(), CallContext(requestID: "one", timeout: .seconds(30)))
    }
    #expect(failure?.reason == "IDEMPOTENCY_KEY_REUSED")
    gate.open()
    #expect(try await list.value.nextCursor == "list")
  }

  @Test func anAnswerThatCannotBeWrittenHasALogID() async throws {
    let router = self.router([
      Route(GetCareRequest.self) { _, _ throws(Failure) in
        var reply = CareReply()
        reply.record.occurredAt = .init(seconds: 0, nanos: -1)
        return reply
      }
    ])
    let failure = await #expect(throws: Failure.self) {
      try await router.answer(
        method: Methods.careGet.name, encoding: .json, body: [], context: CallContext(principal: .hub))
    }
    #expect(failure?.reason == "BUG" && failure?.status.details["field"] == "record.occurred_at")
    let logID = failure?.status.details["log_id"] ?? ""
    #expect(!logID.isEmpty && failure?.message.contains(logID) == true)
  }

  @Test func aLongCommandLetsTheNextOneStart() async throws {
    let (gate, lanes) = (Gate(), CommandLanes())
    let router = self.router([
      Route(SyncRequest.self) { _, _ throws(Failure) in
        await gate.waitForCancellation()
        throw Failure.cancelled
      }, self.remove,
    ])
    var first = CallContext(requestID: "long")
    first.turn = lanes.enter([1], of: .hub, router.order(of: Methods.contactsSync))
    var joined = first
    joined.requestID = "joined"
    joined.idempotencyKey = "long"
    joined.turn = lanes.enter([1], of: .hub, router.order(of: Methods.contactsSync))
    var second = CallContext(requestID: "short")
    second.turn = lanes.enter([1], of: .hub, router.order(of: Methods.contactsRemoveSource))
    let long = Task { [first] in try await router.ask(SyncRequest(), first) }
    await gate.arrival()
    let again = Task { [joined] in try await router.ask(SyncRequest(), joined) }
    #expect(try await router.ask(RemoveSourceRequest(), second).contactsRemoved == 3)
    long.cancel()
    again.cancel()
    for task in [long, again] { await #expect(throws: Failure.self) { try await task.value } }
    try await until { lanes.isEmpty }
  }

  @Test func theDeadlineEndsTheWaitAndTheWork() async {
    let (gate, begun) = (Gate(), Lock(false))
    let router = self.router([
      Route(TestSourceRequest.self) { _, _ throws(Failure) in
        begun.withLock { $0 = true }
        await gate.waitForCancellation()
        throw Failure.cancelled
      }
    ])
    var failure: Failure?
    // Longer again where a busy machine did not let the work begin: work that has not begun is not cancelled.
    for seconds in [1, 10, 60] where failure == nil || !begun.withLock(\.self) {
      let next = await #expect(throws: Failure.self) {
        try await router.ask(TestSourceRequest(), CallContext(timeout: .seconds(seconds)))
      }
      failure = failure ?? next
    }
    #expect(failure?.code == .deadlineExceeded)
    await gate.cancellation()
  }

  @Test func aServiceThatIsFullLeavesRoomForOthers() async throws {
    let gate = Gate()
    let inFlight = InFlightCommands()
    let router = self.router(
      [
        Route(TestSourceRequest.self) { _, _ throws(Failure) in
          await gate.wait()
          return TestSourceReply()
        }, Route(PingRequest.self) { _, _ throws(Failure) in PingReply() },
      ], inFlight)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<ServiceLoad.limit {
        group.addTask { _ = try await router.ask(TestSourceRequest(), CallContext(requestID: "\(number)")) }
      }
      try await until { inFlight.count >= ServiceLoad.limit }
      let failure = await #expect(throws: Failure.self) { try await router.ask(TestSourceRequest()) }
      #expect(failure?.code == .resourceExhausted && failure?.reason == "QUEUE_FULL")
      #expect((failure?.status.retryAfterMs ?? 0) > 0)
      _ = try await router.ask(PingRequest())
      gate.open()
      try await group.waitForAll()
    }
    _ = try await router.ask(TestSourceRequest())
  }

  @Test func afterACrashAnIdempotentCommandRunsAgain() async throws {
    let fingerprint = HMACKey([1, 2, 3]).authenticationCode(for: Array(Methods.contactsSync.name.utf8), [])
    let ticket = CommandTicket(
      principal: "uid:1", key: "k", requestID: "r", method: Methods.contactsSync, fingerprint: fingerprint)
    await self.journal.accept(ticket, request: [])
    let router = self.router([self.sync])
    try await router.recover()
    let context = CallContext(requestID: "k", principal: Principal(name: "uid:1", role: .admin))
    _ = try await router.call(SyncRequest(), context)
    #expect(self.runs.withLock(\.self) == 1)
  }

  @Test func whatItsClientHasRunAgainIsNotRunAThirdTime() async throws {
    let principal = Principal(name: "uid:1", role: .admin)
    let fingerprint = HMACKey([1, 2, 3]).authenticationCode(for: Array(Methods.contactsSync.name.utf8), [])
    let ticket = CommandTicket(
      principal: principal.name, key: "k", requestID: "r", method: Methods.contactsSync, fingerprint: fingerprint)
    await self.journal.accept(ticket, request: [])
    let router = self.router([self.sync])
    _ = try await router.call(SyncRequest(), CallContext(requestID: "k", principal: principal))
    // As `recover` does with a command that it read before.
    try await router.resume(
      SyncRequest(), ticket, Handler<SyncRequest> { _, _ throws(Failure) in throw .cancelled }, CallContext())
    #expect(self.runs.withLock(\.self) == 1)
  }
}
