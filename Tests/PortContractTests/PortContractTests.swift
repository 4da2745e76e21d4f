import Bus
import EventLoop
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

/// What every way to the actors promises. Callers cannot tell one from another.
@Suite(.timeLimit(.minutes(5)))
struct PortContractTests {
  @Test(arguments: Way.allCases) func aReplyComesBackAsItWasMade(way: Way) async throws {
    let fixture = try await Fixture(way)
    var request = GetContactRequest()
    request.id = "愛 \u{1F49B} \0"
    #expect(try await fixture.port.ask(request).contact.id == request.id)
  }

  @Test(arguments: Way.allCases) func attachmentsGoBothWays(way: Way) async throws {
    let fixture = try await Fixture(way)
    let context = CallContext(attachments: [[9], [], Array(repeating: 7, count: 200_000)])
    let answer = try await fixture.port.call(BlobGetRequest(), context)
    #expect(answer.attachments == context.attachments + [[1, 2, 3]])
  }

  @Test(arguments: Way.allCases) func aFailureIsTyped(way: Way) async throws {
    let fixture = try await Fixture(way)
    var request = GetContactRequest()
    request.id = "nobody"
    let failure = await #expect(throws: Failure.self) { try await fixture.port.ask(request) }
    #expect(failure?.code == .notFound)
    #expect(failure?.reason == "RECORD_UNKNOWN")
    #expect(failure?.message == "There is no contact nobody.")
    #expect(failure?.status.details == ["record": "contact"])
  }

  @Test(arguments: Way.allCases) func aMethodThatNobodyServesIsSaidSo(way: Way) async throws {
    let fixture = try await Fixture(way)
    let failure = await #expect(throws: Failure.self) { try await fixture.port.ask(ListSourcesRequest()) }
    #expect(failure?.code == .unimplemented)
    #expect(failure?.reason == "SERVICE_UNKNOWN")
  }

  @Test(arguments: Way.allCases) func theSameKeyHappensOnceAndTellsWhereTheStreamsStand(way: Way) async throws {
    let fixture = try await Fixture(way)
    var request = RemoveSourceRequest()
    request.name = "one"
    let context = CallContext(requestID: "key-1")
    let first = try await fixture.port.call(request, context)
    #expect(first.reply.contactsRemoved == 3)
    #expect(first.effects.map(\.stream) == ["contacts"])
    #expect(first.effects.map(\.seq) == [1])
    let second = try await fixture.port.call(request, context)
    #expect(second.isReplayed)
    #expect(second.reply == first.reply)
    #expect(second.effects == first.effects)
    #expect(fixture.runs.withLock(\.self) == 1)
  }

  @Test(arguments: Way.allCases) func theSameKeyWithOtherContentIsRefused(way: Way) async throws {
    let fixture = try await Fixture(way)
    var first = RemoveSourceRequest()
    first.name = "one"
    _ = try await fixture.port.ask(first, CallContext(idempotencyKey: "key"))
    let other = RemoveSourceRequest.with { $0.name = "two" }
    let failure = await #expect(throws: Failure.self) {
      try await fixture.port.ask(other, CallContext(idempotencyKey: "key"))
    }
    #expect(failure?.reason == "IDEMPOTENCY_KEY_REUSED")
  }

  @Test(arguments: Way.allCases) func manyCallsAtOnceEachGetTheirOwnAnswer(way: Way) async throws {
    let fixture = try await Fixture(way, seed: 42)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<100 {
        group.addTask {
          var request = RemoveSourceRequest()
          request.name = String(repeating: "a", count: index + 1)
          // Of a hundred one may be lost five times, and is sent again after 2, 4, 8, 15 and 15 seconds.
          let reply = try await fixture.port.ask(request, CallContext(timeout: .seconds(240)))
          #expect(reply.contactsRemoved == UInt32(index + 1))
        }
      }
      try await group.waitForAll()
    }
    #expect(fixture.runs.withLock(\.self) == 100)
    #expect(fixture.storage.heads().first { $0.stream == "contacts" }?.seq == 100)
  }

  @Test(arguments: Way.allCases) func progressArrivesBeforeTheAnswer(way: Way) async throws {
    let fixture = try await Fixture(way)
    let fractions = Lock<[Float]>([])
    let context = CallContext { progress in fractions.withLock { $0.append(progress.fraction) } }
    _ = try await fixture.port.ask(SyncRequest(), context)
    let seen = fractions.withLock(\.self)
    #expect(seen == seen.sorted())
    // A lost message may have been a report: those may be missing, an answer never.
    if way != .lossyZeroMQ { #expect(!seen.isEmpty) }
  }

  @Test(arguments: Way.allCases) func theDeadlineEndsTheWaitAndTheWork(way: Way) async throws {
    let fixture = try await Fixture(way)
    // The way stands, and the work begins well before its end: what has not begun is not cancelled.
    _ = try await fixture.port.ask(ServicesRequest())
    var failure: Failure?
    // Longer again where a busy machine did not let it begin; what is lost on the way may never begin.
    for seconds in [1, 10, 60] where failure == nil || (way != .lossyZeroMQ && !fixture.begun.withLock(\.self)) {
      let next = await #expect(throws: Failure.self) {
        try await fixture.port.ask(TestSourceRequest(), CallContext(timeout: .seconds(seconds)))
      }
      failure = failure ?? next
    }
    #expect(failure?.code == .deadlineExceeded)
    if way != .lossyZeroMQ { await fixture.gate.cancellation() }
  }

  @Test(arguments: [Way.inProcess, .zeroMQ]) func cancellingTheCallerCancelsTheWork(way: Way) async throws {
    let fixture = try await Fixture(way)
    let caller = Task { try await fixture.port.ask(TestSourceRequest()) }
    await fixture.gate.arrival()
    caller.cancel()
    let failure = await #expect(throws: Failure.self) { try await caller.value }
    #expect(failure?.code == .cancelled)
    await fixture.gate.cancellation()
  }
}
