internal import Bus
internal import KithMessages

/// Which changes go to the server now, and what each answer means for the change.
///
/// Nothing is given up: a change that fails for reasons of the server is tried for ever, ever less often. One that the server
/// refuses stops alone, where people see it. Times are nanoseconds of a clock that never goes back.
struct PushState: Sendable {
  /// Changes under way at once.
  static let width = 4
  /// Failures of any changes, one after another, after which it is the server that is in trouble.
  static let patience = 3
  /// How often one change is brought together with what the server has before it waits like one that failed.
  static let longestRace = 5

  /// What becomes of a change.
  enum Verdict: Equatable {
    /// The server has this now.
    case done(RemoteRecord)
    /// The server has this, and not what the change was made from: bring them together and send again.
    case changed(RemoteRecord)
    /// The server has it no more.
    case gone
    /// It goes again by itself after so many nanoseconds.
    case later(after: Int64, isUnsure: Bool)
    /// It is due again as soon as anything is: what stopped it has nothing to do with it.
    case postponed(isUnsure: Bool)
    /// The server does not want it as it is.
    case refused(isUnsure: Bool)
  }

  /// What keeps everything from being sent.
  var gate = ServerGate()
  /// Whether the token is refused.
  private(set) var isExpired = false
  private var underWay: Set<Int64> = []
  private var races: [Int64: Int] = [:]
  private var failuresInRow = 0

  /// How many more may go at a moment.
  func room(now: Int64) -> Int {
    self.isExpired || self.gate.isClosed(now: now) ? 0 : Self.width - self.underWay.count
  }

  /// A change goes to the server.
  mutating func begin(_ row: Int64) { self.underWay.insert(row) }

  /// The server answered, or nobody did.
  ///
  /// - Parameters:
  ///   - row: Of the change.
  ///   - attempts: Of the change, this one included.
  ///   - jitter: 0 to 1.
  mutating func end(
    _ row: Int64, attempts: Int, _ result: Result<PushReply, Failure>, now: Int64, jitter: Double
  ) -> Verdict {
    self.underWay.remove(row)
    let wait = ServerGate.backoff.wait(after: attempts, jitter: jitter)
    switch result {
    case .success(let reply):
      self.failuresInRow = 0
      self.gate.open(now: now)
      switch reply.outcome {
      case .done:
        self.races[row] = nil
        return .done(reply.record)
      case .gone:
        self.races[row] = nil
        return .gone
      case .changed:
        self.races[row, default: 0] += 1
        guard self.races[row, default: 0] > Self.longestRace else { return .changed(reply.record) }
        self.races[row] = nil
        return .later(after: wait, isUnsure: false)
      case .unspecified, .UNRECOGNIZED:
        return .later(after: wait, isUnsure: true)
      }
    case .failure(let failure):
      self.races[row] = nil
      switch RemoteFault(failure) {
      case .session:
        self.isExpired = true
        return .postponed(isUnsure: failure.isUnsure)
      case .interrupted:
        return .postponed(isUnsure: failure.isUnsure)
      case .everything:
        self.gate.close(failure, now: now, jitter: jitter)
        return .postponed(isUnsure: failure.isUnsure)
      case .trouble:
        self.failuresInRow += 1
        // A time that a server names is of all that is asked of it (RFC 9110 10.2.3).
        if self.failuresInRow >= Self.patience || failure.status.retryAfterMs > 0 {
          self.gate.close(failure, now: now, jitter: jitter)
        }
        return .later(after: wait, isUnsure: failure.isUnsure)
      case .forbidden:
        // Whether that is so of everything, reading finds out.
        return .later(after: wait, isUnsure: failure.isUnsure)
      case .refusal:
        self.failuresInRow = 0
        return .refused(isUnsure: failure.isForMissingPerson)
      }
    }
  }

  /// The token was refused while something else was asked.
  mutating func expire() { self.isExpired = true }
}
