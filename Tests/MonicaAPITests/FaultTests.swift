import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import TestKit
import Testing
import Transfer

@testable import MonicaAPI

/// Changes sent to a failing server: each is sent again until it succeeds, and then exists once.
@Suite(
  .enabled(if: MonicaServer.isInstalled, "there is no Tests/servers/monica.py"), .timeLimit(.minutes(3)))
struct FaultTests {
  /// The faults of a request.
  private static let faults: [[String: any Sendable]] = [
    ["drop": true], ["drop_after": true], ["status": 500], ["status_after": 500],
    ["status_after": 503, "retry_after": 1], ["truncate": true], ["bad_json": true], ["html": true], ["redirect": true],
  ]

  /// The server's table of a kind.
  private static func table(_ kind: RecordKind) -> String {
    switch kind {
    case .person: "contacts"
    case .contactField: "contact_fields"
    case .address: "addresses"
    case .activity: "activities"
    default: "\(kind.name)s"
    }
  }

  /// Makes a fault hit the change's request after this many others.
  private static func order(_ fault: [String: any Sendable], after count: Int, _ server: MonicaServer) async throws {
    for method in ["POST", "PUT", "DELETE"] {
      let match = ["method": method]
      if count > 0 { try await server.fault(["match": match, "delay_ms": 0, "times": count]) }
      try await server.fault(fault.merging(["match": match]) { $1 })
    }
  }

  /// Sends a change until it succeeds, as the outbox does.
  private static func insist(
    _ operation: String, _ record: RemoteRecord, base: RemoteRecord?, _ server: MonicaServer,
    afterFailure: (Failure) async throws -> Void
  ) async throws -> PushReply {
    let firstTriedAt = Google_Protobuf_Timestamp.now()
    var looks = false
    for _ in 1...8 {
      do throws(Failure) {
        return try await server.push(operation, record, base: base) {
          $0.lookFirst = looks
          $0.firstTriedAt = firstTriedAt
        }
      } catch {
        try await afterFailure(error)
        looks = looks || error.status.details["outcome"] == "unknown"
      }
    }
    throw MonicaServer.Refusal(text: "\(operation) never ended")
  }

  @Test("nothing is lost and nothing is made twice", arguments: Samples.records.indices)
  func onceEach(_ index: Int) async throws {
    try await MonicaServer.run(contacts: 3) { server in
      let kind = try #require(Samples.records[index].record?.kind)
      let table = Self.table(kind)
      for fault in Self.faults {
        for step in 0...(kind == .conversation || kind == .person ? 3 : 1) {
          var want = Samples.records[index]
          if !want.clientID.isEmpty { want.clientID = UUIDv7.make().text }
          for index in want.conversation.messages.indices where kind == .conversation {
            want.conversation.messages[index].id = UUIDv7.make().text
          }
          let before = try await server.rows(table).count
          func check(_ failure: Failure) async throws {
            let now = try await server.rows(table).count
            // A change that is reported as not carried out is sent again without a search.
            if now != before { #expect(failure.status.details["outcome"] == "unknown", "\(kind) \(fault) \(failure)") }
          }
          try await Self.order(fault, after: step, server)
          let made = try await Self.insist("create", want, base: nil, server, afterFailure: check)
          #expect(made.outcome == .done)
          try await server.control("DELETE", "faults")
          let rows = try await server.rows(table).count
          #expect(rows == before + (kind == .relationship ? 2 : 1), "\(kind) \(fault) at \(step)")
          let read = try await server.read(kind.name, made.record.monicaID).record
          #expect(try Samples.isSame(read, want), "\(kind) \(fault) at \(step)")

          try await Self.order(fault, after: step, server)
          let changed = Samples.changed(made.record)
          let done = try await Self.insist("update", changed, base: made.record, server) { _ in }
          try await server.control("DELETE", "faults")
          #expect(done.outcome == .done, "\(kind) \(fault) at \(step)")
          let reread = try await server.read(kind.name, made.record.monicaID).record
          #expect(try Samples.isSame(reread, changed), "\(kind) \(fault) at \(step)")

          try await Self.order(fault, after: 0, server)
          let gone = try await Self.insist("delete", done.record, base: done.record, server) { _ in }
          try await server.control("DELETE", "faults")
          #expect(gone.outcome == .done || gone.outcome == .gone)
          let after = try await server.rows(table).filter { $0["deleted_at"] as? String == nil || table != "contacts" }
          if kind != .person { #expect(after.count == before, "\(kind) \(fault) at \(step)") }
        }
      }
    }
  }

  @Test func aShortWaitIsWaited() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      try await server.fault(["status": 429, "retry_after": 0])
      let before = try await server.rows("calls").count
      #expect(try await server.push("create", .call(with: 1)).outcome == .done)
      let after = try await server.rows("calls").count
      #expect(after == before + 1)
    }
  }

  @Test func anOrderToWaitSaysHowLong() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let call = RemoteRecord.call(with: 1) { $0.note = "Hi" }
      try await server.fault(["status": 429, "retry_after": 20])
      let began = ContinuousClock.now
      let ordered = await failure { try await server.push("create", call) }
      #expect(ordered?.reason == "RATE_LIMITED" && ordered?.status.details["outcome"] == nil)
      try Self.expect(ordered, within: 20_000...21_000, since: began)
      // Until then no request is sent.
      try await server.clearRequests()
      #expect(await failure { try await server.push("create", call) }?.reason == "RATE_LIMITED")
      #expect(await failure { try await server.read("call", 1) { $0.urgent = true } }?.reason == "RATE_LIMITED")
      let asked = try await server.requests()
      #expect(asked.isEmpty)
    }
  }

  /// A failure says what is left of a wait, of which some has passed since the server was asked.
  private static func expect(
    _ failure: Failure?, within span: ClosedRange<Int64>, since began: ContinuousClock.Instant
  ) throws {
    let left = Int64(try #require(failure).status.retryAfterMs)
    let passed = (ContinuousClock.now - began) / .milliseconds(1)
    #expect(left <= span.upperBound && left + Int64(passed) >= span.lowerBound)
  }

  @Test func withoutAWordTheWindowIsWaitedFor() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let call = RemoteRecord.call(with: 1) { $0.note = "Hi" }
      try await server.fault(["status": 429])
      let began = ContinuousClock.now
      let refused = await failure { try await server.push("create", call) }
      #expect(refused?.reason == "RATE_LIMITED" && refused?.status.details["outcome"] == nil)
      try Self.expect(refused, within: 58_000...60_000, since: began)
      let calls = try await server.rows("calls")
      #expect(calls.allSatisfy { $0["content"] as? String != "Hi" })
    }
  }

  @Test func aChangeCanBeGivenUp() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      try await server.fault(["delay_ms": 60_000, "match": ["method": "POST"]])
      let call = RemoteRecord.call(with: 1)
      let waiting = Task { await failure { try await server.push("create", call) } }
      // It is in flight once the server has recorded it.
      try await until { try await server.requests().contains("POST /api/calls") }
      waiting.cancel()
      let given = await waiting.value
      #expect(given?.code == .cancelled)
    }
  }

  @Test func whoWaitsTooLongIsToldThatNobodyKnows() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      let client = MonicaClient(
        http: server.http, address: try MonicaAddress(server.url), credentials: .bearer(token: "secret"),
        gate: RateGate(), pace: Pace(isUrgent: true, patience: .zero, timeout: .milliseconds(200)))
      try await server.fault(["delay_ms": 60_000, "times": 2])
      let read = await Self.fault(ofReading: client)
      #expect(read?.failure.reason == "MONICA_TIMEOUT" && read?.mayHaveArrived == false)
      let written = await Self.fault(ofDeleting: client)
      #expect(written?.failure.reason == "MONICA_TIMEOUT" && written?.mayHaveArrived == true)
    }
  }

  private static func fault(ofReading client: MonicaClient) async -> MonicaError? {
    do throws(MonicaError) {
      _ = try await client.get(Envelope<UserResource>.self, MonicaClient.Target("me"))
      return nil
    } catch { return error }
  }

  private static func fault(ofDeleting client: MonicaClient) async -> MonicaError? {
    do throws(MonicaError) {
      try await client.delete("calls/1")
      return nil
    } catch { return error }
  }

  @Test func aNewTokenIsUsedAtOnceAndTheOldOneIsToldToBeInvalid() async throws {
    try await MonicaServer.run(contacts: 1) { server in
      try await server.control("POST", "config", ["token": "new"])
      let call = RemoteRecord.call(with: 1)
      let expired = await failure { try await server.push("create", call) }
      #expect(expired?.reason == "TOKEN_INVALID" && expired?.status.details["outcome"] == nil)
      try await server.tokens.keep("new", named: "token")
      #expect(try await server.push("create", call).outcome == .done)
    }
  }

  /// Many nearly equal calls with one person, on a server that fails at random.
  @Test(arguments: 0..<6 as Range<UInt64>)
  func aBadDay(_ seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    try await MonicaServer.run(contacts: 2) { server in
      let before = try await server.rows("calls").count
      var expected: [String: RemoteRecord] = [:]
      for index in 0..<25 {
        if Int.random(in: 0..<3, using: &random) > 0 {
          let fault = Self.faults.filter { $0["redirect"] == nil }.randomElement(using: &random)
          let method = ["POST", "GET", "PUT"].randomElement(using: &random) ?? "POST"
          try await server.fault((fault ?? [:]).merging(["match": ["method": method]]) { $1 })
        }
        if index.isMultiple(of: 4), let (id, known) = expected.randomElement(using: &random) {
          let want = Samples.changed(known, "changed \(index)")
          let reply = try await Self.insist("update", want, base: known, server) { _ in }
          #expect(reply.outcome == .done)
          expected[id] = reply.record
        } else {
          // The same minute and the same words.
          let call = RemoteRecord.call(with: 1, at: 1_714_557_600 + Int64(index % 3)) { $0.note = "Hi" }
          let reply = try await Self.insist("create", call, base: nil, server) { _ in }
          #expect(reply.outcome == .done && expected[call.clientID] == nil)
          expected[call.clientID] = reply.record
        }
      }
      try await server.control("DELETE", "faults")
      let rows = try await server.rows("calls").count
      #expect(rows == before + expected.count)
      let calls = try await server.all("call", owner: 1)
      for (id, record) in expected {
        let found = calls.filter { $0.clientID == id }
        #expect(found.count == 1)
        #expect(try found.first.map { try Samples.isSame($0, record) } == true)
      }
    }
  }
}
