/// How long a connection may be without a stream of HTTP. A pure value; the time is passed in.
///
/// A connection of HTTP/1.1 is one stream from its handshake to its end. One of HTTP/2 has a stream for each request whose head has come.
///
/// ```swift
/// var idle = IdleTime(now: .now)
/// idle.shakeHands(now: .now)
/// if let deadline = idle.deadline, deadline <= .now { close() }
/// ```
public struct IdleTime: Sendable {
  /// How long a handshake may take.
  public static let handshake = Duration.seconds(10)
  /// How long a connection is kept without a request.
  public static let longest = Duration.seconds(75)
  /// When a client of HTTP/2 is asked to end the connection itself.
  public static let notice = Duration.seconds(65)

  private var streams = 0
  /// When the connection ends; nil while it has a stream.
  public private(set) var deadline: ContinuousClock.Instant?

  /// Starts with the handshake.
  public init(now: ContinuousClock.Instant) { self.deadline = now + Self.handshake }

  /// Ends the handshake.
  public mutating func shakeHands(now: ContinuousClock.Instant) { self.deadline = now + Self.longest }

  /// Counts a stream; ``end(now:)`` follows.
  public mutating func begin() {
    self.streams += 1
    self.deadline = nil
  }

  /// Counts the end of a stream.
  public mutating func end(now: ContinuousClock.Instant) {
    self.streams -= 1
    if self.streams == 0 { self.deadline = now + Self.longest }
  }
}
