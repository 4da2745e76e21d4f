import EventLoop
import KithMessages
import TestKit
import Testing

@testable import Bus

/// `System/Cancel` cancels a command of its principal, by request id, idempotency key or job.
extension RouterTests {
  @Test func cancelReachesTheHandler() async throws {
    let gate = Gate()
    let router = self.router([
      Route(TestSourceRequest.self) { _, _ throws(Failure) in
        await gate.waitForCancellation()
        throw Failure.cancelled
      }
    ])
    let answer = Task { try await router.ask(TestSourceRequest(), CallContext(requestID: "slow")) }
    await gate.arrival()
    var cancel = CancelRequest()
    cancel.requestID = "slow"
    let stranger = CallContext(principal: Principal(name: "uid:7", role: .admin))
    #expect(try await router.ask(cancel, stranger).cancelled == false)
    #expect(try await router.ask(cancel).cancelled)
    await #expect(throws: Failure.cancelled) { try await answer.value }
  }

  @Test(arguments: ["request", "key"])
  func aCommandIsCancelledBeforeItRuns(name: String) async throws {
    let router = self.router([
      Route(TestSourceRequest.self) { _, _ throws(Failure) in
        Issue.record("it was cancelled before")
        return TestSourceReply()
      }
    ])
    let context = CallContext(requestID: "request", idempotencyKey: "key")
    var cancel = CancelRequest()
    cancel.requestID = name
    router.announce(context)
    let stranger = CallContext(principal: Principal(name: "uid:7", role: .admin))
    #expect(try await router.ask(cancel, stranger).cancelled == false)
    #expect(try await router.ask(cancel).cancelled)
    await #expect(throws: Failure.cancelled) { try await router.ask(TestSourceRequest(), context) }
    router.retract(context)
    #expect(try await router.ask(cancel).cancelled == false)
  }

  @Test func aCommandThatHasRunIsNotCancelled() async throws {
    let router = self.router([Route(TestSourceRequest.self) { _, _ throws(Failure) in TestSourceReply() }])
    let context = CallContext(requestID: "request")
    router.announce(context)
    _ = try await router.ask(TestSourceRequest(), context)
    var cancel = CancelRequest()
    cancel.requestID = "request"
    #expect(try await router.ask(cancel).cancelled == false)
    router.retract(context)
  }

  @Test(arguments: ["request", "key"])
  func aCommandWithAKeyIsCancelledByRequestIDOrKey(name: String) async throws {
    let (gate, inFlight) = (Gate(), InFlightCommands())
    let router = self.router([Self.slow(gate)], inFlight)
    let answer = Task {
      try await router.ask(TestSourceRequest(), CallContext(requestID: "request", idempotencyKey: "key"))
    }
    await gate.arrival()
    var cancel = CancelRequest()
    cancel.requestID = name
    let stranger = CallContext(principal: Principal(name: "uid:7", role: .admin))
    #expect(try await router.ask(cancel, stranger).cancelled == false)
    #expect(try await router.ask(cancel).cancelled)
    await #expect(throws: Failure.cancelled) { try await answer.value }
    try await until { inFlight.count == 0 }
    #expect(try await router.ask(cancel).cancelled == false)
  }

  @Test func aCommandIsCancelledByItsJob() async throws {
    let gate = Gate()
    let command = Lock<CommandID?>(nil)
    let router = self.router([Self.slow(gate, command)]) { id in id == "job" ? command.withLock(\.self) : nil }
    let answer = Task { try await router.ask(TestSourceRequest(), CallContext(idempotencyKey: "key")) }
    await gate.arrival()
    var cancel = CancelRequest()
    cancel.jobID = "another"
    #expect(try await router.ask(cancel).cancelled == false)
    cancel.jobID = "job"
    let stranger = CallContext(principal: Principal(name: "uid:7", role: .admin))
    #expect(try await router.ask(cancel, stranger).cancelled == false)
    #expect(try await router.ask(cancel).cancelled)
    await #expect(throws: Failure.cancelled) { try await answer.value }
    cancel.requestID = "both"
    await #expect(throws: Failure.self) { try await router.ask(cancel) }
  }

  @Test func whatAPersonCancelledStaysCancelledThoughItsCallerLeaves() async throws {
    let (gate, end) = (Gate(), Gate())
    let router = self.router([
      Route(SyncRequest.self) { _, _ throws(Failure) in
        await gate.waitForCancellation()
        await end.wait()
        throw Failure.cancelled
      }
    ])
    let context = CallContext(requestID: "sync")
    let answer = Task { try await router.ask(SyncRequest(), context) }
    await gate.arrival()
    var cancel = CancelRequest()
    cancel.requestID = "sync"
    #expect(try await router.ask(cancel).cancelled)
    await gate.cancellation()
    answer.cancel()
    await #expect(throws: Failure.cancelled) { try await answer.value }
    end.open()
    // The cancellation is stored as the answer, so the command does not run again.
    try await until { await self.journal.outcomes > 0 }
    let failure = await #expect(throws: Failure.self) { try await router.ask(SyncRequest(), context) }
    #expect(failure?.reason == Failure.cancelled.reason)
  }
}
