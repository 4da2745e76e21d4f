internal import Bus
internal import KithMessages

/// How slowly a body may arrive. A pure value; the time is passed in.
public struct BodyPace: Sendable {
  /// The longest wait for the next bytes.
  public static let silence = Duration.seconds(20)
  /// What is never too slow.
  private static let grace = Duration.seconds(20)
  /// Bytes a second on average, after that.
  private static let least = 2048

  private let limit: Int
  private let startedAt: ContinuousClock.Instant
  private var count = 0

  /// Starts with a body.
  ///
  /// - Parameter limit: The most bytes.
  public init(limit: Int, now: ContinuousClock.Instant) {
    self.limit = limit
    self.startedAt = now
  }

  /// Counts bytes.
  ///
  /// - Throws: 413 or 408.
  public mutating func take(_ bytes: Int, now: ContinuousClock.Instant) throws(Refusal) {
    self.count += bytes
    guard self.count <= self.limit else { throw Self.tooLarge(self.limit) }
    let beyond = (now - self.startedAt) - Self.grace
    guard beyond <= .zero || self.count >= Int(beyond / .milliseconds(1)) * Self.least / 1000 else {
      throw Refusal(408, Failure(.deadlineExceeded, "BODY_TOO_SLOW", "The body arrived too slowly. Send it again."))
    }
  }

  /// Checks the length that a request announces.
  ///
  /// - Throws: 413.
  public static func check(_ head: RequestHead, limit: Int) throws(Refusal) {
    guard let text = head.field("content-length") else { return }
    guard let length = Int(text), length <= limit else { throw Self.tooLarge(limit) }
  }

  private static func tooLarge(_ limit: Int) -> Refusal {
    Refusal(413, Failure(.invalidArgument, "BODY_TOO_LARGE", "The body may have \(limit) bytes. Send a smaller one."))
  }
}
