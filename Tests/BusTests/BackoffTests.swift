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
