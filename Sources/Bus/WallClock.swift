import Glibc
public import SwiftProtobuf

/// The time of day, for stamps. Waiting goes by the monotonic clock.
public enum WallClock {
  /// Nanoseconds since 1970.
  public static func nanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Milliseconds since 1970.
  public static func milliseconds() -> UInt64 { UInt64(max(0, self.nanoseconds() / 1_000_000)) }
}

extension Google_Protobuf_Timestamp {
  /// Now, to the nanosecond.
  public static func now() -> Google_Protobuf_Timestamp { .init(nanosecondsSince1970: WallClock.nanoseconds()) }

  /// Makes a stamp of nanoseconds since 1970.
  public init(nanosecondsSince1970 nanoseconds: Int64) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self =
      rest < 0
      ? .init(seconds: seconds - 1, nanos: Int32(rest + 1_000_000_000)) : .init(seconds: seconds, nanos: Int32(rest))
  }

  /// Nanoseconds since 1970; the nearest that can be told for a stamp before 1677 or after 2262.
  public var nanosecondsSince1970: Int64 {
    let (whole, overflow) = self.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(Int64(self.nanos))
    return overflow || carry ? (self.seconds < 0 ? .min : .max) : sum
  }
}
