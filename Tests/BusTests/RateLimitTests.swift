import Bus
import Testing

struct RateLimitTests {
  @Test("time that passes is not lost, and not saved up beyond the burst")
  func refill() {
    var limit = RateLimit(burst: 2, interval: .seconds(1))
    let start = ContinuousClock.now
    let taken = [0, 0, 0, 900, 1000, 2000, 100_000, 100_000, 100_000].map { (milliseconds: Int) in
      limit.take(start + .milliseconds(milliseconds))
    }
    #expect(taken == [true, true, false, false, true, true, true, true, false])
  }
}
