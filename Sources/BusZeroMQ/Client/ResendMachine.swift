internal import Bus
internal import KithMessages

/// Decides when a command is retried and when it fails. A pure value: time and jitter are passed in. docs/protocol.md, 3.
///
/// ```
/// unsent --sent--> sent --heard--> sent --heard--> sent
///   ^               | 2, 4, 8, 15, 15 s | 5 s of silence
///   +---putBack-----+----- send --------+
/// ```
///
/// A command that was never sent checks once whether a hub listens, so that its caller learns quickly if none does.
struct ResendMachine: Sendable, Equatable {
  /// The next step of the port.
  enum Directive: Sendable, Equatable {
    /// Queue the command again, and call ``sent(_:jitter:)`` when a socket has accepted it.
    case send(onNewSocket: Bool)
    /// Check whether a hub listens. Fail the command if none does, else call ``looked()``.
    case look
    /// Fail the command.
    case giveUp(Failure)
  }

  private enum State: Sendable, Equatable {
    /// Not accepted by a socket: there is no connection, or other commands are first.
    case unsent
    /// Sent, maybe lost; retried at this time.
    case sent(retryAt: ContinuousClock.Instant)
  }

  /// The waits before the retries.
  static let backoff = Backoff(first: 2_000_000_000, longest: 15_000_000_000, spread: 1...1.2)
  /// The longest silence of a running command before a retry.
  static let silence = Duration.seconds(5)
  /// The longest absence of a hub that was connected before.
  static let absence = Duration.seconds(10)
  /// The longest time that a connection on one machine takes; a running hub is therefore rarely checked for.
  static let glance = Duration.milliseconds(50)

  private let start: ContinuousClock.Instant
  private let timeout: Duration
  private let connectLimit: Duration?
  private var state = State.unsent
  private var triesInSilence = 0
  private var hasLooked = false

  /// Makes the state of a new command, which is due now.
  ///
  /// - Parameters:
  ///   - timeout: How long the caller waits for the answer.
  ///   - connectLimit: How long the caller waits for a connection; nil = as long as for the answer.
  init(_ now: ContinuousClock.Instant, timeout: Duration, connectLimit: Duration?) {
    self.start = now
    self.timeout = timeout
    self.connectLimit = connectLimit
  }

  /// How often a socket has accepted it.
  private(set) var attempts: UInt32 = 0

  /// Whether it waits for a socket.
  var isUnsent: Bool { self.state == .unsent }

  /// Records that a socket accepted the command.
  ///
  /// - Parameter jitter: 0 to 1; see ``Backoff``.
  mutating func sent(_ now: ContinuousClock.Instant, jitter: Double) {
    self.triesInSilence += 1
    self.attempts += 1
    self.state = .sent(retryAt: now + .nanoseconds(Self.backoff.wait(after: self.triesInSilence, jitter: jitter)))
  }

  /// Records that a hub listens or cannot be checked for: the connect limit applies.
  mutating func looked() { self.hasLooked = true }

  /// Records that the command waits for a socket again, for a retry.
  mutating func putBack() { self.state = .unsent }

  /// Records a PARTIAL: the command runs.
  mutating func heard(_ now: ContinuousClock.Instant) {
    self.triesInSilence = 0
    self.state = .sent(retryAt: now + Self.silence)
  }

  /// When ``tick(_:blockedSince:)`` is due.
  ///
  /// - Parameter blockedSince: Since when the socket accepts no messages; nil if it does.
  func due(blockedSince: ContinuousClock.Instant?) -> ContinuousClock.Instant {
    switch self.state {
    case .sent(let retryAt): min(self.deadline, retryAt)
    case .unsent: min(self.connectDeadline(blockedSince), self.lookAt(blockedSince) ?? self.deadline)
    }
  }

  /// The step that is due; nil if none is.
  func tick(_ now: ContinuousClock.Instant, blockedSince: ContinuousClock.Instant?) -> Directive? {
    guard now >= self.due(blockedSince: blockedSince) else { return nil }
    guard self.isUnsent else {
      return now < self.deadline ? .send(onNewSocket: self.triesInSilence % 2 == 1) : .giveUp(self.tooLate)
    }
    guard now >= self.connectDeadline(blockedSince) else { return .look }
    return .giveUp(blockedSince == nil ? self.tooLate : Self.hubNotRunning)
  }

  /// When to check for the hub; nil if that was done or if the caller has no connect limit.
  private func lookAt(_ blockedSince: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let blockedSince, self.connectLimit != nil, self.attempts == 0, !self.hasLooked else { return nil }
    return max(self.start, blockedSince) + Self.glance
  }

  private var deadline: ContinuousClock.Instant { self.start + self.timeout }

  private func connectDeadline(_ blockedSince: ContinuousClock.Instant?) -> ContinuousClock.Instant {
    guard let blockedSince, let connectLimit else { return self.deadline }
    // A hub that was connected before gets the time of a restart.
    let wait = self.attempts > 0 ? max(connectLimit, Self.absence) : connectLimit
    return min(self.deadline, max(self.start, blockedSince) + wait)
  }

  private var tooLate: Failure {
    Failure(
      .deadlineExceeded, "RUNNING_TOO_LONG",
      "No answer came within \(self.timeout). The command may still run; it is safe to send it again with the same key."
    )
  }

  /// The failure of a command if no hub is connected.
  static let hubNotRunning = Failure(
    .unavailable, "HUB_NOT_RUNNING",
    "kithd is not running here. Start it with `kithd`, or with `systemctl --user start kithd` where it is installed.")
}
