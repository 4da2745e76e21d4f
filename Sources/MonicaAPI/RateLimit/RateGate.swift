internal import Bus
internal import Transfer

/// Lets requests to one account pass by ``RateLimiter``, and measures the difference between the server's clock and
/// ours.
actor RateGate {
  private var limiter = RateLimiter()
  /// How many seconds the server's clock is ahead.
  private(set) var clockDifference: Int64 = 0

  /// Waits for a turn.
  ///
  /// - Parameter report: Called at each second of a wait with what is left of it.
  /// - Throws: `rateLimited` if the wait would exceed the patience of the pace; `cancelled`.
  func enter(_ pace: Pace, _ report: @Sendable (Duration) -> Void) async throws(MonicaError) {
    while true {
      let now = ContinuousClock.now
      guard case .at(let moment) = self.limiter.take(isUrgent: pace.isUrgent, now: now) else { return }
      let wait = moment - now
      guard pace.patience.map({ wait <= $0 }) ?? true else { throw MonicaError(.rateLimited(wait: wait)) }
      report(wait)
      do { try await Task.sleep(until: min(moment, now + .seconds(1))) } catch {
        throw MonicaError(.transfer(.cancelled))
      }
    }
  }

  /// Ends the turn of a request.
  ///
  /// - Parameter response: The response; nil if there was none.
  func leave(_ response: HTTPResponse?) {
    let report = response.flatMap { RateLimiter.Report($0) }
    self.limiter.settle(report, now: .now)
    guard let date = response?.headers["Date"].flatMap({ ServerTime.seconds(httpDate: $0) }) else { return }
    self.clockDifference = date - Int64(WallClock.milliseconds() / 1000)
  }
}

extension RateLimiter.Report {
  /// Reads the headers of an answer; nil for a failure of a proxy, which says nothing about the limit.
  init?(_ response: HTTPResponse) {
    self.limit = response.headers["X-RateLimit-Limit"].flatMap { Int($0) }
    self.remaining = response.headers["X-RateLimit-Remaining"].flatMap { Int($0) }
    self.isRefusal = response.status == 429
    guard self.limit != nil || response.isSuccess || self.isRefusal else { return nil }
    if let milliseconds = response.retryAfterMilliseconds {
      self.wait = .milliseconds(milliseconds)
    } else if let reset = response.headers["X-RateLimit-Reset"].flatMap({ Int64($0) }) {
      let date = response.headers["Date"].flatMap { ServerTime.seconds(httpDate: $0) }
      self.wait = .seconds(min(86_400, max(0, reset - (date ?? Int64(WallClock.milliseconds() / 1000)))))
    }
  }
}

/// The priority and the time limits of a request.
struct Pace: Sendable {
  /// Whether it may use the reserve of the rate limit.
  var isUrgent: Bool
  /// The longest wait for a turn; nil for no limit.
  var patience: Duration?
  /// The time from the call to the end of the answer.
  var timeout: Duration

  /// The wait for callers that can do other work instead.
  private static let short = Duration.seconds(3)

  /// A page of a list. Two seconds for a hundred people are usual, more are not rare.
  static func list(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, patience: isUrgent ? Self.short : nil, timeout: .seconds(60))
  }

  /// A single record. A pass waits for it as for a page: one that gave up would ask for the same records again.
  static func record(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, patience: isUrgent ? Self.short : nil, timeout: .seconds(isUrgent ? 10 : 30))
  }

  /// A change. It waits only briefly: the sender has other changes to send, and retries later.
  static func change(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, patience: Self.short, timeout: .seconds(isUrgent ? 10 : 30))
  }
}
