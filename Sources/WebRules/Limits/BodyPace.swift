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
  /// What the request announces; nil = nothing.
  private let length: Int?
  private let startedAt: ContinuousClock.Instant
  private var count = 0

  /// Starts with a body.
  ///
  /// - Parameters:
  ///   - limit: The most bytes.
  ///   - length: What the request announces; nil = nothing.
  /// - Throws: 413 if the request announces more.
  public init(limit: Int, length: Int?, now: ContinuousClock.Instant) throws(Refusal) {
    self.limit = limit
    self.length = length
    self.startedAt = now
    guard (length ?? 0) <= limit else { throw Self.tooLarge(limit) }
  }

  /// The length that a request announces; nil if it announces none.
  ///
  /// - Throws: 413 for one that no machine can count to.
  public static func length(of head: RequestHead, limit: Int) throws(Refusal) -> Int? {
    guard let text = head.field("content-length") else { return nil }
    guard let length = Int(text) else { throw Self.tooLarge(limit) }
    return length
  }

  /// Whether all came that was announced.
  public var isWhole: Bool { self.length.map { $0 == self.count } ?? true }

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

  private static func tooLarge(_ limit: Int) -> Refusal {
    Refusal(413, Failure(.invalidArgument, "BODY_TOO_LARGE", "The body may have \(limit) bytes. Send a smaller one."))
  }
}
