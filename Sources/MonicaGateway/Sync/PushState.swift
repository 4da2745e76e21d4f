internal import Bus
internal import KithMessages

/// Decides which changes are sent to the server now, and what each answer means for its change.
///
/// No change is given up: one that fails because of the server is retried for ever, at growing intervals. One that the
/// server refuses stops alone and is shown to people. Times are nanoseconds of a monotonic clock.
struct PushState: Sendable {
  /// How many changes may be in flight at once.
  static let width = 4
  /// After this many failures in a row, of any changes, the server counts as failing.
  static let patience = 3
  /// How often one change is merged with the server's record before it backs off like a failed change.
  static let longestRace = 5

  /// The outcome of an attempt to send a change.
  enum Verdict: Equatable {
    /// The server has this now.
    case done(RemoteRecord)
    /// The server has this record, which differs from the base of the change: merge and send again.
    case changed(RemoteRecord)
    /// The server no longer has the record.
    case gone
    /// Retry after this many nanoseconds.
    case later(after: Int64, isUnsure: Bool)
    /// Retry with the next changes: the cause has nothing to do with this change.
    case postponed(isUnsure: Bool)
    /// The server has no place for the record.
    case stays
    /// The server refuses the change as it is.
    case refused(isUnsure: Bool)
  }

  /// Stops all changes while the server must not be asked.
  var gate = ServerGate()
  /// Whether the token was refused.
  private(set) var isExpired = false
  private var underWay: Set<Int64> = []
  private var races: [Int64: Int] = [:]
  private var failuresInRow = 0

  /// How many more changes may be sent now.
  func room(now: Int64) -> Int {
    self.isExpired || self.gate.isClosed(now: now) ? 0 : Self.width - self.underWay.count
  }

  /// A change is being sent.
  mutating func begin(_ row: Int64) { self.underWay.insert(row) }

  /// The attempt has ended, with or without an answer.
  ///
  /// - Parameters:
  ///   - row: The row of the change.
  ///   - attempts: The attempts of the change so far, including this one.
  ///   - jitter: From 0 to 1.
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
        let races = self.races[row, default: 0] + 1
        self.races[row] = races
        // A merge resets the count of attempts. After every few merges the change rests, each time longer.
        guard races.isMultiple(of: Self.longestRace + 1) else { return .changed(reply.record) }
        let rest = ServerGate.backoff.wait(after: max(attempts, races / (Self.longestRace + 1)), jitter: jitter)
        return .later(after: rest, isUnsure: false)
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
        // A time that the server names applies to all requests (RFC 9110 10.2.3).
        if self.failuresInRow >= Self.patience || failure.status.retryAfterMs > 0 {
          self.gate.close(failure, now: now, jitter: jitter)
        }
        return .later(after: wait, isUnsure: failure.isUnsure)
      case .forbidden:
        // Reading will show whether the server forbids everything.
        return .later(after: wait, isUnsure: failure.isUnsure)
      case .refusal where failure.reason == "TYPE_UNKNOWN":
        self.failuresInRow = 0
        return .stays
      case .refusal:
        self.failuresInRow = 0
        return .refused(isUnsure: failure.isForMissingPerson)
      }
    }
  }

  /// The token was refused for another request.
  mutating func expire() { self.isExpired = true }
}
