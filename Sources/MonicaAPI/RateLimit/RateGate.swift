internal import Bus
internal import Transfer

/// Lets requests to one account of a server through as ``RateLimiter`` says, and knows by how much its clock differs from ours.
actor RateGate {
  private var limiter = RateLimiter()
  /// Seconds by which the server's clock is ahead.
  private(set) var clockDifference: Int64 = 0

  /// How long somebody waits here who would rather do something else.
  static let patience = Duration.seconds(3)

  /// Waits for a turn.
  ///
  /// - Throws: `rateLimited` when it takes longer than ``patience`` and the pace does not wait; `cancelled`.
  func enter(_ pace: Pace) async throws(MonicaError) {
    while true {
      let now = ContinuousClock.now
      guard case .at(let moment) = self.limiter.take(isUrgent: pace.isUrgent, now: now) else { return }
      guard pace.waits || moment - now <= Self.patience else { throw MonicaError(.rateLimited(wait: moment - now)) }
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
  /// Whether it waits for its turn, however long that takes.
  var waits: Bool
  /// From the call to the end of the answer.
  var timeout: Duration

  /// A page of a list. Two seconds for a hundred people are usual, more are not rare.
  static func list(isUrgent: Bool) -> Pace { Pace(isUrgent: isUrgent, waits: !isUrgent, timeout: .seconds(60)) }

  /// A single record.
  static func record(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, waits: !isUrgent, timeout: isUrgent ? .seconds(10) : .seconds(30))
  }

  /// A change. It does not wait: whoever sends changes has others for other servers, and knows when to come back.
  static func change(isUrgent: Bool) -> Pace {
    Pace(isUrgent: isUrgent, waits: false, timeout: isUrgent ? .seconds(10) : .seconds(30))
  }
}
