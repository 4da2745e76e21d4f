internal import Logging
internal import ZeroMQ

/// Tells the log of peers that came to a plane and did not get as far as to be asked who they are. A pure value.
struct HandshakeLog {
  private var lines = RateLimit(burst: 16, interval: .seconds(2))
  private var untold = 0
  /// How many there were.
  private(set) var count: UInt64 = 0

  /// The fields of a line about an event; nil when there is nothing to say, or enough was said.
  mutating func line(_ event: MonitorEvent, on plane: String, now: ContinuousClock.Instant) -> Logger.Metadata? {
    guard let why = event.protocolFault else { return nil }
    self.count += 1
    guard self.lines.take(now) else {
      self.untold += 1
      return nil
    }
    defer { self.untold = 0 }
    return ["plane": "\(plane)", "endpoint": "\(event.endpoint)", "why": "\(why)", "untold": "\(self.untold)"]
  }
}
