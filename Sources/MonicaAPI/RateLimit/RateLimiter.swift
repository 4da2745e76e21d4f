/// Decides which requests the rate limit of a server allows now.
///
/// Monica counts a user's requests in a window of 60 seconds that begins with the first request, and returns the limit
/// (`X-RateLimit-Limit`) and the remaining requests (`X-RateLimit-Remaining`) with each answer. Other clients of the
/// same user count as well, such as Monica's own CardDAV or another hub, so the server's numbers override our count. A
/// server or proxy that sends no numbers has no limit until it answers 429.
struct RateLimiter: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The rate limit in an answer.
  struct Report: Sendable, Equatable {
    var limit: Int?
    var remaining: Int?
    /// Whether the server refused the request because of its rate limit.
    var isRefusal = false
    /// How long to wait after a refusal, if the server says so.
    var wait: Duration?
  }

  /// Whether a request may be sent.
  enum Turn: Equatable {
    case now
    /// Not before this time.
    case at(Instant)
  }

  /// The length of a window.
  static let window = Duration.seconds(60)
  /// By this many requests the server's count may lag behind ours while answers overtake each other. If it lags
  /// further, a new window has begun.
  private static let disorder = 8

  private var limit: Int?
  /// The latest possible start of the window; nil before its first request.
  private var began: Instant?
  /// Whether an answer has arrived in this window. The server's window began between its first request and that answer:
  /// counted from the request, it would seem to be over while the server still counts in it.
  private var isAnswered = false
  /// The requests counted in the window.
  private var used = 0
  private var underWay = 0
  private var closedUntil: Instant?

  init() {}

  /// How many requests of a window are reserved for urgent ones.
  static func reserve(of limit: Int) -> Int { limit < 2 ? 0 : max(1, min(6, limit / 10)) }

  /// Requests a turn. ``Turn/now`` counts the request, whose end has to be reported by ``settle(_:now:)``.
  ///
  /// - Parameter isUrgent: Whether a person waits, so that the reserve may be used.
  mutating func take(isUrgent: Bool, now: Instant) -> Turn {
    if let closedUntil {
      guard now >= closedUntil else { return .at(closedUntil) }
      self.closedUntil = nil
    }
    if let began, now >= began + Self.window {
      self.began = nil
      self.used = self.underWay
    }
    if let limit, let began, self.used >= limit - (isUrgent ? 0 : Self.reserve(of: limit)) {
      return .at(began + Self.window)
    }
    if self.began == nil {
      self.began = now
      self.isAnswered = false
    }
    self.used += 1
    self.underWay += 1
    return .now
  }

  /// Records the end of a request.
  ///
  /// - Parameter report: The rate limit in its answer; nil if there was no answer, or one that does not come from this
  ///   server, such as the page of a proxy.
  mutating func settle(_ report: Report?, now: Instant) {
    self.underWay -= 1
    guard let report else { return }
    // Ignores a limit of 0; obeying it would block for ever.
    let limit = report.limit.flatMap { $0 > 0 ? $0 : nil }
    if report.isRefusal {
      let end = self.began.map { $0 + Self.window - now } ?? Self.window
      // At least a second: the server's number is in whole seconds, rounded down.
      let wait = report.wait.map { $0 + .seconds(1) } ?? max(.seconds(1), end)
      self.limit = limit ?? self.limit
      self.closedUntil = max(now + wait, self.closedUntil ?? now)
      self.began = nil
      self.used = self.underWay
      return
    }
    if !self.isAnswered, self.began != nil {
      self.began = now
      self.isAnswered = true
    }
    self.limit = limit
    guard let limit, let remaining = report.remaining else { return }
    let counted = limit - remaining + self.underWay
    if counted + Self.disorder < self.used {
      // The window may have begun a little earlier: then the wait is a little too long.
      self.began = now
      self.isAnswered = true
      self.used = counted
    } else {
      self.used = max(self.used, counted)
    }
  }
}
