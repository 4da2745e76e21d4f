import TestKit
import Testing

@testable import MonicaAPI

struct RateLimiterTests {
  private let start = ContinuousClock.now

  private func at(_ seconds: Double) -> RateLimiter.Instant { self.start + .seconds(seconds) }

  /// Sends a request and receives its answer at once.
  private func send(
    _ limiter: inout RateLimiter, at seconds: Double, isUrgent: Bool = false, _ report: RateLimiter.Report?
  ) -> RateLimiter.Turn {
    let turn = limiter.take(isUrgent: isUrgent, now: self.at(seconds))
    if turn == .now { limiter.settle(report, now: self.at(seconds)) }
    return turn
  }

  private static func left(_ remaining: Int, of limit: Int = 60) -> RateLimiter.Report {
    RateLimiter.Report(limit: limit, remaining: remaining)
  }

  @Test func serversThatSayNothingHaveNoLimit() {
    var limiter = RateLimiter()
    for index in 0..<1000 { #expect(self.send(&limiter, at: Double(index) / 100, .init()) == .now) }
  }

  @Test func theReserveIsForUrgentRequests() {
    var limiter = RateLimiter()
    for index in 0..<54 { #expect(self.send(&limiter, at: 0.1 * Double(index), Self.left(59 - index)) == .now) }
    #expect(limiter.take(isUrgent: false, now: self.at(10)) == .at(self.at(60)))
    for index in 54..<60 { #expect(self.send(&limiter, at: 10, isUrgent: true, Self.left(59 - index)) == .now) }
    #expect(limiter.take(isUrgent: true, now: self.at(11)) == .at(self.at(60)))
    // The next window begins with its first request, not before.
    #expect(self.send(&limiter, at: 75, Self.left(59)) == .now)
    for index in 1..<54 { #expect(self.send(&limiter, at: 76, Self.left(59 - index)) == .now) }
    #expect(limiter.take(isUrgent: false, now: self.at(77)) == .at(self.at(135)))
  }

  @Test func othersOfTheSameUserCount() {
    var limiter = RateLimiter()
    #expect(self.send(&limiter, at: 0, Self.left(3)) == .now)
    #expect(limiter.take(isUrgent: false, now: self.at(1)) == .at(self.at(60)))
    #expect(limiter.take(isUrgent: true, now: self.at(1)) == .now)
  }

  @Test func requestsUnderWayCount() {
    var limiter = RateLimiter()
    #expect(self.send(&limiter, at: 0, Self.left(9, of: 10)) == .now)
    // One of ten is the reserve, one is used.
    for _ in 0..<8 { #expect(limiter.take(isUrgent: false, now: self.at(1)) == .now) }
    #expect(limiter.take(isUrgent: false, now: self.at(1)) == .at(self.at(60)))
  }

  @Test func aRefusalSaysWhenToComeBack() {
    var limiter = RateLimiter()
    let refusal = RateLimiter.Report(limit: 60, remaining: 0, isRefusal: true, wait: .seconds(7))
    #expect(self.send(&limiter, at: 0, refusal) == .now)
    #expect(limiter.take(isUrgent: true, now: self.at(1)) == .at(self.at(8)))
    #expect(self.send(&limiter, at: 8, Self.left(59)) == .now)
  }

  @Test func aRefusalThatSaysNothingLastsAsLongAsTheWindow() {
    var limiter = RateLimiter()
    #expect(self.send(&limiter, at: 0, .init()) == .now)
    #expect(self.send(&limiter, at: 20, RateLimiter.Report(isRefusal: true)) == .now)
    #expect(limiter.take(isUrgent: true, now: self.at(21)) == .at(self.at(60)))
    var other = RateLimiter()
    #expect(self.send(&other, at: 0, RateLimiter.Report(isRefusal: true)) == .now)
    #expect(other.take(isUrgent: true, now: self.at(1)) == .at(self.at(60)))
    #expect(other.take(isUrgent: true, now: self.at(60)) == .now)
  }

  @Test func theServersWindowGoesBeforeOurs() {
    var limiter = RateLimiter()
    // Other clients began the window 40 seconds ago.
    #expect(self.send(&limiter, at: 0, Self.left(10)) == .now)
    // It has ended meanwhile: the server starts to count again.
    #expect(self.send(&limiter, at: 21, isUrgent: true, Self.left(59)) == .now)
    for _ in 0..<53 { #expect(limiter.take(isUrgent: false, now: self.at(22)) == .now) }
    #expect(limiter.take(isUrgent: false, now: self.at(22)) == .at(self.at(81)))
  }

  @Test func answersMayOvertakeEachOther() {
    var limiter = RateLimiter()
    for _ in 0..<3 { #expect(limiter.take(isUrgent: false, now: self.at(0)) == .now) }
    limiter.settle(Self.left(17, of: 20), now: self.at(1))
    limiter.settle(Self.left(19, of: 20), now: self.at(1))
    limiter.settle(Self.left(18, of: 20), now: self.at(1))
    // Three are used, two are the reserve. When the first answer came, it was unknown which of the other two it had
    // counted.
    let more = (0..<20).prefix { _ in limiter.take(isUrgent: false, now: self.at(2)) == .now }.count
    #expect((13...15).contains(more))
  }

  @Test func theWindowBeginsWithTheFirstAnswer() {
    var limiter = RateLimiter()
    #expect(limiter.take(isUrgent: true, now: self.at(0)) == .now)
    limiter.settle(Self.left(0, of: 1), now: self.at(3))
    // The server may have counted the request as late as second 3.
    #expect(limiter.take(isUrgent: true, now: self.at(60)) == .at(self.at(63)))
    #expect(limiter.take(isUrgent: true, now: self.at(63)) == .now)
    limiter.settle(nil, now: self.at(64))
    #expect(limiter.take(isUrgent: true, now: self.at(65)) == .at(self.at(123)))
  }

  /// Against a server that counts like Monica, whose windows other clients begin and use as well.
  @Test(arguments: 0..<30 as Range<UInt64>)
  func aServerIsNotAskedTooOften(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = Int.random(in: 5...60, using: &random)
    let hasOthers = seed.isMultiple(of: 3)
    var (limiter, now, served, refused) = (RateLimiter(), 0.0, 0, 0)
    var (hits, end) = (0, 0.0)
    func ask(_ now: Double) -> RateLimiter.Report {
      if now >= end { (hits, end) = (0, now + 60) }
      guard hits < limit else {
        return RateLimiter.Report(limit: limit, remaining: 0, isRefusal: true, wait: .seconds(Int(end) - Int(now)))
      }
      hits += 1
      return RateLimiter.Report(limit: limit, remaining: limit - hits)
    }
    for _ in 0..<1000 {
      if hasOthers, Int.random(in: 0..<10, using: &random) == 0 { _ = ask(now) }
      switch limiter.take(isUrgent: Bool.random(using: &random), now: self.at(now)) {
      case .now:
        // The time to the server and back.
        now += Double.random(in: 0...0.1, using: &random)
        let report = ask(now)
        if report.isRefusal { refused += 1 } else { served += 1 }
        now += Double.random(in: 0...0.1, using: &random)
        limiter.settle(report, now: self.at(now))
      case .at(let moment):
        #expect(moment > self.at(now) && moment - self.at(now) <= .seconds(61))
        now = max((moment - self.start) / .seconds(1), now + 0.001)
      }
    }
    #expect(refused == 0 || hasOthers)
    #expect(refused < 20)
    #expect(served > 500)
  }
}
