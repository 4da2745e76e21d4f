/// How long a reader may take nothing of what it is sent. A pure value; the time is passed in.
///
/// ```swift
/// var pace = ReaderPace()
/// pace.send(now: .now)
/// if let deadline = pace.deadline, deadline <= .now { close() }
/// ```
public struct ReaderPace: Sendable {
  /// The longest wait for a reader to take the next part.
  public static let patience = Duration.seconds(30)

  private var waiting = 0
  /// When it has taken nothing for too long; nil while nothing waits for it.
  public private(set) var deadline: ContinuousClock.Instant?

  /// Starts with nothing that waits.
  public init() {}

  /// Counts a part that waits for the reader.
  public mutating func send(now: ContinuousClock.Instant) {
    if self.waiting == 0 { self.deadline = now + Self.patience }
    self.waiting += 1
  }

  /// Counts a part that was taken.
  public mutating func take(now: ContinuousClock.Instant) {
    self.waiting -= 1
    self.deadline = self.waiting == 0 ? nil : now + Self.patience
  }
}
