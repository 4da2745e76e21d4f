public import Bus
internal import KithMessages

/// When one command is sent again, and when it is given up. Pure: time and chance are passed in. docs/protocol.md, 3.
///
/// ```
/// unsent --sent--> sent --heard--> sent --heard--> sent
///   ^               | 2, 4, 8, 15, 15 s | 5 s of silence
///   +---putBack-----+----- send --------+
/// ```
///
/// A command that no hub has had looks once whether there is one, so that its caller learns at once that there is none.
public struct ResendMachine: Sendable, Equatable {
  /// What the port has to do now.
  public enum Directive: Sendable, Equatable {
    /// Put it back, and report ``sent(_:jitter:)`` when a socket has taken it.
    case send(onNewSocket: Bool)
    /// Find out whether the hub is there, give the command up if it is not, and report ``looked()`` otherwise.
    case look
    /// Answer the caller with this.
    case giveUp(Failure)
  }

  private enum State: Sendable, Equatable {
    /// With no socket: nobody is connected, or others come first.
    case unsent
    /// With the hub, or lost; tried again at this moment.
    case sent(retryAt: ContinuousClock.Instant)
  }

  /// The waits before the second, third... try.
  static let backoff = Backoff(first: 2_000_000_000, longest: 15_000_000_000, spread: 1...1.2)
  /// How long a command that runs may be silent.
  static let silence = Duration.seconds(5)
  /// How long a hub that was there may be away.
  static let absence = Duration.seconds(10)
  /// How long a connection on one machine takes at most, so that a hub that is there is rarely looked for.
  static let glance = Duration.milliseconds(50)

  private let start: ContinuousClock.Instant
  private let timeout: Duration
  private let connectLimit: Duration?
  private var state = State.unsent
  private var triesInSilence = 0
  private var hasLooked = false

  /// Begins at `now`, to be sent at once.
  ///
  /// - Parameters:
  ///   - timeout: How long the caller waits.
  ///   - connectLimit: How long it waits for a hub that is not there; nil = as long as for the answer.
  public init(_ now: ContinuousClock.Instant, timeout: Duration, connectLimit: Duration?) {
    self.start = now
    self.timeout = timeout
    self.connectLimit = connectLimit
  }

  /// How often it was handed to a socket.
  public private(set) var attempts: UInt32 = 0

  /// Whether no socket has it.
  public var isUnsent: Bool { self.state == .unsent }

  /// The socket took the command.
  ///
  /// - Parameter jitter: 0 to 1; see ``Backoff``.
  public mutating func sent(_ now: ContinuousClock.Instant, jitter: Double) {
    self.triesInSilence += 1
    self.attempts += 1
    self.state = .sent(retryAt: now + .nanoseconds(Self.backoff.wait(after: self.triesInSilence, jitter: jitter)))
  }

  /// The hub is there, or cannot be looked for: the limit of the caller holds.
  public mutating func looked() { self.hasLooked = true }

  /// The command waits for a socket again, because it is to be sent once more.
  public mutating func putBack() { self.state = .unsent }

  /// A PARTIAL came: the command runs.
  public mutating func heard(_ now: ContinuousClock.Instant) {
    self.triesInSilence = 0
    self.state = .sent(retryAt: now + Self.silence)
  }

  /// The moment at which ``tick(_:blockedSince:)`` has something to say.
  ///
  /// - Parameter blockedSince: Since when the socket takes nothing; nil = it does.
  public func due(blockedSince: ContinuousClock.Instant?) -> ContinuousClock.Instant {
    switch self.state {
    case .sent(let retryAt): min(self.deadline, retryAt)
    case .unsent: min(self.connectDeadline(blockedSince), self.lookAt(blockedSince) ?? self.deadline)
    }
  }

  /// What is due now; nil = nothing yet.
  public func tick(_ now: ContinuousClock.Instant, blockedSince: ContinuousClock.Instant?) -> Directive? {
    guard now >= self.due(blockedSince: blockedSince) else { return nil }
    guard self.isUnsent else {
      return now < self.deadline ? .send(onNewSocket: self.triesInSilence % 2 == 1) : .giveUp(self.tooLate)
    }
    guard now >= self.connectDeadline(blockedSince) else { return .look }
    return .giveUp(blockedSince == nil ? self.tooLate : Self.hubNotRunning)
  }

  /// When the hub is looked for; nil where it was, or where the caller has no limit for a hub that is away.
  private func lookAt(_ blockedSince: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
    guard let blockedSince, self.connectLimit != nil, self.attempts == 0, !self.hasLooked else { return nil }
    return max(self.start, blockedSince) + Self.glance
  }

  private var deadline: ContinuousClock.Instant { self.start + self.timeout }

  private func connectDeadline(_ blockedSince: ContinuousClock.Instant?) -> ContinuousClock.Instant {
    guard let blockedSince, let connectLimit else { return self.deadline }
    // A hub that has been there is given the time of a restart.
    let patience = self.attempts > 0 ? max(connectLimit, Self.absence) : connectLimit
    return min(self.deadline, max(self.start, blockedSince) + patience)
  }

  private var tooLate: Failure {
    Failure(
      .deadlineExceeded, "RUNNING_TOO_LONG",
      "No answer came within \(self.timeout). The command may still run; it is safe to send it again with the same key."
    )
  }

  /// What a caller gets when nobody is connected.
  public static let hubNotRunning = Failure(
    .unavailable, "HUB_NOT_RUNNING",
    "kithd is not running here. Start it with `kithd`, or with `systemctl --user start kithd` where it is installed.")
}
