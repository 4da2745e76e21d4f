internal import Bus
internal import Transfer

/// Lets requests to one account of a server through as ``RateLimiter`` says, and knows by how much its clock differs
/// from ours.
actor RateGate {
  private var limiter = RateLimiter()
  /// Seconds by which the server's clock is ahead.
  private(set) var clockDifference: Int64 = 0

  /// Waits for a turn.
  ///
  /// - Throws: `rateLimited` when it would take longer than the pace has patience for; `cancelled`.
  func enter(_ pace: Pace) async throws(MonicaError) {
    while true {
      let now = ContinuousClock.now
      guard case .at(let moment) = self.limiter.take(isUrgent: pace.isUrgent, now: now) else { return }
      let wait = moment - now
      guard pace.patience.map({ wait <= $0 }) ?? true else { throw MonicaError(.rateLimited(wait: wait)) }
      do { try await Task.sleep(until: moment) } catch { throw MonicaError(.transfer(.cancelled)) }
    }
  }

  /// A request that entered has ended.
  ///
  /// - Parameter response: Nil when none came.
  func leave(_ response: HTTPResponse?) {
    let report = response.flatMap { RateLimiter.Report($0) }
    self.limiter.settle(report, now: .now)
    guard let date = response?.headers["Date"].flatMap({ ServerTime.seconds(httpDate: $0) }) else { return }
    self.clockDifference = date - Int64(WallClock.milliseconds() / 1000)
  }
}

extension RateLimiter.Report {
  /// Reads the head of an answer; nil for a failure of something before the server, which says nothing of its limit.
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

/// How a request gets its turn, and how long it may take.
struct Pace: Sendable {
  /// Whether it may use what the rate limit keeps for urgent ones.
  var isUrgent: Bool
  /// How long it waits for its turn; nil = as long as it takes.
  var patience: Duration?
  /// From the call to the end of the answer.
  var timeout: Duration

  /// What somebody waits who would rather do something else.
  private static let short = Duration.seconds(3)

  /// A page of a list. Two seconds for a hundred people are usual, more are not rare.
  static func list(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, patience: isUrgent ? Self.short : nil, timeout: .seconds(60))
  }

  /// A single record. The call as a whole may take a minute.
  static func record(isUrgent: Bool) -> Pace {
    Pace(
      isUrgent: isUrgent, patience: isUrgent ? Self.short : .seconds(30), timeout: .seconds(isUrgent ? 10 : 30))
  }

  /// A change. It does not wait long: whoever sends changes has other things to do, and knows when to come back.
  static func change(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, patience: Self.short, timeout: .seconds(isUrgent ? 10 : 30))
  }
}
