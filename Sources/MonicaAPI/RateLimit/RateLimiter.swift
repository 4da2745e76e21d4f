/// Decides which requests the rate limit of a server allows now.
///
/// Monica counts the requests of a user in a window of 60 seconds that begins with its first request, and tells with
/// each answer how many there may be (`X-RateLimit-Limit`) and how many are left (`X-RateLimit-Remaining`). Others of
/// the same user count as well: the web's CardDAV, another hub. So what the server says goes before what was counted
/// here. A server or a proxy that says nothing has no limit until it answers 429.
struct RateLimiter: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// What an answer says of the limit.
  struct Report: Sendable, Equatable {
    var limit: Int?
    var remaining: Int?
    /// Whether the server refused the request because of its rate limit.
    var isRefusal = false
    /// How long to wait then, if it says so.
    var wait: Duration?
  }

  /// Whether a request may go.
  enum Turn: Equatable {
    case now
    /// Not before this moment.
    case at(Instant)
  }

  /// From the first request of a window to its end.
  static let window = Duration.seconds(60)
  /// By so many the server's count may be behind ours while answers overtake each other. If it is further behind, its
  /// window is a new one.
  private static let disorder = 8

  private var limit: Int?
  /// When the window began at the latest, as far as is known; nil before its first request.
  private var began: Instant?
  /// Whether an answer has come in this window. The server's began between its first request and that answer: counted from the
  /// request, it would seem to be over while the server still counts in it.
  private var isAnswered = false
  /// Requests that count in it.
  private var used = 0
  private var underWay = 0
  private var closedUntil: Instant?

  init() {}

  /// How many requests of a window are reserved for urgent ones.
  static func reserve(of limit: Int) -> Int { limit < 2 ? 0 : max(1, min(6, limit / 10)) }

  /// Asks for a turn. ``Turn/now`` counts the request, whose end has to be told by ``settle(_:now:)``.
  ///
  /// - Parameter isUrgent: Whether somebody waits, so that the reserve may be used.
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

  /// A request has ended.
  ///
  /// - Parameter report: Of its answer; nil when there was none, or when it says nothing about this server, as the page
  ///   of a proxy.
  mutating func settle(_ report: Report?, now: Instant) {
    self.underWay -= 1
    guard let report else { return }
    // Ignores a limit of 0; obeying it would block for ever.
    let limit = report.limit.flatMap { $0 > 0 ? $0 : nil }
    if report.isRefusal {
      let end = self.began.map { $0 + Self.window - now } ?? Self.window
      // At least a second: what the server says is in whole seconds, and rounded down.
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
      // It may have begun a little earlier: then the wait is a little too long.
      self.began = now
      self.isAnswered = true
      self.used = counted
    } else {
      self.used = max(self.used, counted)
    }
  }
}
