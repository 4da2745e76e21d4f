internal import Bus
internal import KithMessages
internal import SwiftProtobuf

/// The states of a delivery: pending -> sending -> delivered, or pending again, until it is failed or unknown.
///
/// Time and chance are passed in; the result is committed before and after each attempt.
extension DeliveryEntry {
  /// The pauses between attempts: from ten seconds to fifteen minutes, plus or minus a quarter.
  private static let backoff = Backoff(first: 10_000_000_000, longest: 900_000_000_000, spread: 0.75...1.25)
  /// How long a person's retry lasts: one day.
  private static let secondLife: Int64 = 86_400_000_000_000
  /// The length of a stored receipt from the other server, in code points.
  private static let receiptLimit = 200

  /// When a pending delivery may be sent; nil in any other state.
  var due: Due? {
    guard self.knownState == .pending else { return nil }
    // The delivery's own pause, or the one that the other server requested.
    let longest = max(
      Self.backoff.wait(after: Int(self.attempts), jitter: 1), Int64(self.error.retryAfterMs) * 1_000_000)
    return Due(at: self.nextAttemptAt.nanosecondsSince1970, atMost: longest)
  }

  /// Whether it may be sent now.
  func isDue(at now: Int64) -> Bool { self.due?.isDue(at: now) ?? false }

  /// Whether it has waited so long that it is no longer useful, because the machine slept or its channel was blocked. A
  /// test message never expires: a person waits for its result.
  func isOutOfDate(at now: Int64) -> Bool {
    (self.knownKind != .test || self.mayHaveArrived) && now > self.expiresAt.nanosecondsSince1970
  }

  /// The name of the next attempt; the same until its outcome is stored.
  var nextAttempt: String { "deliver-\(self.id)-\(self.attempts + 1)" }

  /// Gives up an expired delivery without another attempt.
  mutating func lapse() {
    var lapsed = Failure(
      .deadlineExceeded, "MESSAGE_OUT_OF_DATE",
      "This message waited too long to be useful. `kith channels retry ID` sends it all the same.")
    if self.hasError { lapsed.status.details["before"] = self.error.reason }
    self.error = lapsed.status
    self.giveUp()
  }

  /// Records the start of an attempt. From here on the message may arrive.
  mutating func begin(at now: Int64) {
    self.knownState = .sending
    self.attempts += 1
    self.lastAttemptAt = .init(nanosecondsSince1970: now)
    if !self.hasFirstAttemptAt { self.firstAttemptAt = self.lastAttemptAt }
    self.clearNextAttemptAt()
  }

  /// Records the outcome of an attempt.
  ///
  /// - Parameter chance: From 0 to 1; spreads the pauses of channels that failed together.
  mutating func settle(_ outcome: Result<DeliverReply, Failure>, at now: Int64, chance: Double) {
    switch outcome {
    case .success(let reply):
      self.knownState = .delivered
      self.deliveredAt = .init(nanosecondsSince1970: now)
      // Text of the other server, shown in lists: an id is short.
      self.receipt = String(String.UnicodeScalarView(reply.receipt.unicodeScalars.prefix(Self.receiptLimit)))
      self.clearError()
      self.clearNextAttemptAt()
    case .failure(let failure):
      self.error = failure.status
      // Given up here, or lost with its workers: they may have sent the message.
      if failure.status.details["outcome"] == "unknown"
        || [.deadlineExceeded, .cancelled, .aborted].contains(failure.code)
      {
        self.mayHaveArrived = true
      }
      guard failure.isTransient else { return self.giveUp() }
      let pause = max(
        Self.backoff.wait(after: Int(self.attempts), jitter: chance), Int64(failure.status.retryAfterMs) * 1_000_000)
      self.goOn(at: now + pause)
    }
  }

  /// Records that the process ended during an attempt, which continues under its name: a worker may still be running
  /// it, or have its outcome, which counts however late it arrives.
  mutating func resume(at now: Int64) {
    self.mayHaveArrived = true
    self.attempts -= min(self.attempts, 1)
    self.knownState = .pending
    self.nextAttemptAt = .init(nanosecondsSince1970: now)
  }

  /// Starts again, at a person's request.
  ///
  /// - Throws: `FAILED_PRECONDITION/NOT_RETRIABLE`.
  mutating func retry(at now: Int64) throws(Failure) {
    switch self.knownState {
    case .failed, .unknown, .pending: break
    case .sending, .delivered, .discarded, nil:
      throw Failure(
        .failedPrecondition, "NOT_RETRIABLE",
        "This message is \(self.state); only a message that failed or may not have arrived can be retried.")
    }
    self.expiresAt = .init(nanosecondsSince1970: max(self.expiresAt.nanosecondsSince1970, now + Self.secondLife))
    self.knownState = .pending
    self.clearError()
    self.nextAttemptAt = .init(nanosecondsSince1970: now)
  }

  /// Gives the delivery up, at a person's request.
  ///
  /// - Throws: `FAILED_PRECONDITION/NOT_WAITING`.
  mutating func discard() throws(Failure) {
    switch self.knownState {
    case .failed, .unknown, .pending, .discarded: break
    case .sending, .delivered, nil:
      throw Failure(
        .failedPrecondition, "NOT_WAITING", "This message is \(self.state) and cannot be withdrawn.")
    }
    self.knownState = .discarded
    self.clearNextAttemptAt()
  }

  private mutating func goOn(at instant: Int64) {
    guard instant <= self.expiresAt.nanosecondsSince1970 else { return self.giveUp() }
    self.knownState = .pending
    self.nextAttemptAt = .init(nanosecondsSince1970: instant)
  }

  private mutating func giveUp() {
    self.knownState = self.mayHaveArrived ? .unknown : .failed
    self.clearNextAttemptAt()
  }
}
