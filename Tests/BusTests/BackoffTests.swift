import TestKit
import Testing

@testable import Bus

@Suite struct BackoffTests {
  @Test func itDoublesUpToItsBound() {
    let backoff = Backoff(first: 2, longest: 15)
    #expect((0...6).map { backoff.wait(after: $0) } == [2, 2, 4, 8, 15, 15, 15])
    #expect(backoff.wait(after: .max) == 15)
    #expect(Backoff(first: 3, longest: .max).wait(after: 200) == .max)
    #expect(Backoff(first: 20, longest: 15).wait(after: 1) == 15)
  }

  @Test(arguments: [(0, 4), (0.5, 6), (1, 8)]) func chanceSpreadsIt(_ jitter: Double, _ wait: Int64) {
    let backoff = Backoff(first: 1, longest: 100, spread: 0.5...1)
    #expect(backoff.wait(after: 4, jitter: jitter) == wait)
    #expect(Backoff(first: 1, longest: 8, spread: 1...1.25).wait(after: 4, jitter: 1) == 10)
    #expect(backoff.spread(1000, jitter: 0.5) == 750)
  }
}

/// Due times by the wall clock, which may be set at any time.
@Suite struct DueTests {
  private static let second: Int64 = 1_000_000_000
  private static let hour = 3600 * Self.second

  @Test func `it waits for its time, and for no other reason`() {
    let due = Due(at: 100 * Self.second, atMost: 10 * Self.second)
    #expect(!due.isDue(at: 90 * Self.second) && !due.isDue(at: 100 * Self.second - 1))
    #expect(due.isDue(at: 100 * Self.second) && due.isDue(at: 9 * Self.hour))
    #expect(due.moment(from: 95 * Self.second) == 100 * Self.second)
    // The clock was ahead when the due time was stored, and is correct now.
    #expect(due.isDue(at: 89 * Self.second) && due.isDue(at: -9 * Self.hour))
    #expect(due.moment(from: 89 * Self.second) == 89 * Self.second)
  }

  @Test func `what is to wait for ever does not overflow`() {
    #expect(!Due(at: .max, atMost: .max).isDue(at: 1))
    #expect(!Due(at: 2, atMost: .max).isDue(at: 1))
    #expect(Due(at: .max, atMost: 0).isDue(at: 1))
  }

  /// Hours ahead, hours back, an hour of summer time, a small step of a time server.
  private static let jumps: [Int64] = [9 * hour, -9 * hour, hour, -hour, 400 * 24 * hour, -2 * second, 300 * second]

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `under a clock that jumps nothing waits longer than its back-off`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let backoff = Int64.random(in: 1...900, using: &random) * Self.second
    var wall = Int64.random(in: 0...1_000_000, using: &random) * Self.second
    let due = Due(at: wall + backoff, atMost: backoff)
    // Since the last step of the clock: each step back during the wait prolongs it by that step.
    var waited: Int64 = 0
    while !due.isDue(at: wall) {
      #expect(waited < backoff, "seed \(seed)")
      guard waited < backoff else { return }
      let step = min(Self.second, backoff - waited)
      waited += step
      wall += step
      guard Int.random(in: 0..<20, using: &random) == 0 else { continue }
      wall += Self.jumps.randomElement(using: &random) ?? 0
      waited = 0
    }
    #expect(waited <= backoff)
  }
}
