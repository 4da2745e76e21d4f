import Bus
import KithMessages
import SwiftProtobuf
import TestKit
import Testing

@testable import Reminders

@Suite struct DeliveryProgressTests {
  static let second: Int64 = 1_000_000_000
  static let trouble = Failure(.unavailable, "CHANNEL_TROUBLE", "trouble")
  static let unclear = Failure(.unavailable, "CHANNEL_UNCLEAR", "gone", details: ["outcome": "unknown"])
  static let refused = Failure(.invalidArgument, "CHANNEL_REFUSED", "refused")

  static func entry(lifetime: Int64 = 86_400) -> DeliveryEntry {
    var entry = DeliveryEntry()
    entry.state = "pending"
    entry.expiresAt = .init(nanosecondsSince1970: lifetime * Self.second)
    return entry
  }

  @Test func `pauses double up to a quarter of an hour`() {
    var entry = Self.entry()
    var now: Int64 = 0
    var pauses: [Int64] = []
    for _ in 0..<9 {
      entry.begin(at: now)
      #expect(entry.state == "sending")
      entry.settle(.failure(Self.trouble), at: now, chance: 0.5)
      #expect(entry.state == "pending")
      pauses.append((entry.nextAttemptAt.nanosecondsSince1970 - now) / Self.second)
      #expect(!entry.isDue(at: entry.nextAttemptAt.nanosecondsSince1970 - 1))
      now = entry.nextAttemptAt.nanosecondsSince1970
      #expect(entry.isDue(at: now))
    }
    #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 900, 900])
    #expect(entry.attempts == 9)
  }

  @Test func `a clock that was ahead and is set back parks nothing`() {
    let ahead: Int64 = 9 * 3600 * Self.second
    for attempts in 1...9 {
      var entry = Self.entry(lifetime: 10 * 86_400)
      for _ in 0..<attempts {
        entry.begin(at: ahead)
        entry.settle(.failure(Self.trouble), at: ahead, chance: 1)
      }
      #expect(!entry.isDue(at: ahead) && entry.isDue(at: 0))
    }
    // A wait that the other server requests counts, even if it is longer than our own pauses.
    var told = Self.entry(lifetime: 10 * 86_400)
    told.begin(at: 0)
    told.settle(
      .failure(Failure(.unavailable, "CHANNEL_TROUBLE", "later", retryAfterMilliseconds: 7_200_000)), at: 0, chance: 0)
    #expect(!told.isDue(at: 3600 * Self.second) && told.isDue(at: 7200 * Self.second))
    // Queued and never tried.
    var new = Self.entry(lifetime: 10 * 86_400)
    new.nextAttemptAt = .init(nanosecondsSince1970: ahead)
    #expect(new.isDue(at: 0))
  }

  @Test func `chance spreads them, and the other side's word counts`() {
    func next(_ failure: Failure, chance: Double) -> Int64 {
      var entry = Self.entry()
      entry.begin(at: 0)
      entry.settle(.failure(failure), at: 0, chance: chance)
      return entry.nextAttemptAt.nanosecondsSince1970
    }
    #expect(next(Self.trouble, chance: 0) == 7_500_000_000)
    #expect(next(Self.trouble, chance: 1) == 12_500_000_000)
    let busy = Failure(.resourceExhausted, "CHANNEL_TOO_MUCH", "", retryAfterMilliseconds: 60_000)
    #expect(next(busy, chance: 0.5) == 60 * Self.second)
  }

  @Test func `what is refused for good fails at once`() {
    var entry = Self.entry()
    entry.begin(at: 0)
    entry.settle(.failure(Self.refused), at: 0, chance: 0)
    #expect(entry.state == "failed")
    #expect(entry.error.reason == "CHANNEL_REFUSED")
    #expect(!entry.hasNextAttemptAt)
  }

  @Test func `who may have it is unknown in the end`() {
    var entry = Self.entry(lifetime: 30)
    entry.begin(at: 0)
    entry.settle(.failure(Self.unclear), at: 0, chance: 0.5)
    #expect(entry.state == "pending")
    entry.begin(at: 10 * Self.second)
    // The second attempt certainly delivered nothing, but the first one may have.
    entry.settle(.failure(Self.trouble), at: 11 * Self.second, chance: 0.5)
    #expect(entry.state == "unknown")
    var sure = Self.entry(lifetime: 5)
    sure.begin(at: 0)
    sure.settle(.failure(Self.trouble), at: 0, chance: 0.5)
    #expect(sure.state == "failed")
  }

  @Test func `a process that ended goes on, as long as it is worth it`() {
    var entry = Self.entry()
    entry.begin(at: 0)
    entry.resume(at: 5)
    #expect(entry.state == "pending")
    #expect(entry.isDue(at: 5))
    var late = Self.entry(lifetime: 1)
    late.begin(at: 0)
    late.resume(at: 2 * Self.second)
    #expect(late.isDue(at: 2 * Self.second) && late.isOutOfDate(at: 2 * Self.second))
    late.lapse()
    #expect(late.state == "unknown")
    var test = Self.entry(lifetime: 1)
    test.kind = "test"
    #expect(!test.isOutOfDate(at: .max))
    test.begin(at: 0)
    test.resume(at: 2 * Self.second)
    #expect(test.isOutOfDate(at: 2 * Self.second), "who waited for it is gone")
  }

  @Test func `a receipt is short, whatever the other side answers`() {
    var entry = Self.entry()
    entry.begin(at: 0)
    var reply = DeliverReply()
    reply.receipt = String(repeating: "é", count: 900_000)
    entry.settle(.success(reply), at: 0, chance: 0)
    #expect(entry.receipt == String(repeating: "é", count: 200))
  }

  @Test func `a person may begin anew or give up, but not what arrived`() throws {
    for state in ["failed", "unknown", "pending"] {
      var entry = Self.entry(lifetime: 0)
      entry.state = state
      try entry.retry(at: 7)
      #expect(entry.isDue(at: 7))
      #expect(entry.expiresAt.nanosecondsSince1970 == 7 + 86_400 * Self.second)
      try entry.discard()
      #expect(entry.state == "discarded")
    }
    for state in ["delivered", "sending"] {
      var entry = Self.entry()
      entry.state = state
      #expect(throws: Failure.self) { try entry.retry(at: 0) }
      #expect(throws: Failure.self) { try entry.discard() }
    }
  }

  @Test func `what is out of date says so, and what was tried before`() throws {
    var entry = Self.entry(lifetime: 100)
    #expect(!entry.isOutOfDate(at: 100 * Self.second))
    #expect(entry.isOutOfDate(at: 100 * Self.second + 1))
    entry.begin(at: 0)
    entry.settle(.failure(Self.unclear), at: 0, chance: 0.5)
    entry.lapse()
    #expect(entry.state == "unknown" && entry.error.reason == "MESSAGE_OUT_OF_DATE")
    #expect(entry.error.details == ["before": "CHANNEL_UNCLEAR"])
    try entry.retry(at: 200 * Self.second)
    #expect(entry.isDue(at: 200 * Self.second) && !entry.isOutOfDate(at: 200 * Self.second))
  }

  /// Every history ends, and its final state is true.
  @Test(arguments: 0..<500) func `any history ends in the truth`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var entry = Self.entry(lifetime: .random(in: 0...4000, using: &random))
    var (now, hasArrived, mayHave) = (Int64(0), false, false)
    for _ in 0..<1000 where entry.state == "pending" {
      #expect(entry.hasNextAttemptAt || entry.attempts == 0)
      now = max(now, entry.nextAttemptAt.nanosecondsSince1970)
      entry.begin(at: now)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        hasArrived = true
        entry.settle(.success(DeliverReply()), at: now, chance: .random(in: 0...1, using: &random))
      case 1:
        mayHave = true
        entry.settle(.failure(Self.unclear), at: now, chance: .random(in: 0...1, using: &random))
      case 2 where seed.isMultiple(of: 3):
        entry.settle(.failure(Self.refused), at: now, chance: .random(in: 0...1, using: &random))
      case 3:
        mayHave = true
        entry.resume(at: now + .random(in: 0...Self.second, using: &random))
      default: entry.settle(.failure(Self.trouble), at: now, chance: .random(in: 0...1, using: &random))
      }
    }
    #expect(["delivered", "failed", "unknown"].contains(entry.state))
    #expect((entry.state == "delivered") == hasArrived)
    if entry.state == "failed" { #expect(!mayHave) }
    if entry.state == "unknown" { #expect(mayHave) }
  }
}
