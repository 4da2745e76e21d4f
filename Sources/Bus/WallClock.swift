public import CivilTime
internal import Foundation
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

/// What the clocks of the machine show at one moment: the time of day, which people and time servers set, and the time since
/// the machine was started, which nobody sets.
public struct ClockReading: Sendable, Hashable {
  /// Nanoseconds since 1970.
  public let wall: Int64
  /// Nanoseconds since the machine was started. Time that it slept counts.
  public let steady: Int64
  /// Names the start of the machine.
  public let boot: String

  /// Makes a reading.
  public init(wall: Int64, steady: Int64, boot: String) {
    self.wall = wall
    self.steady = steady
    self.boot = boot
  }

  /// Reads the clocks.
  public static func now() -> ClockReading {
    ClockReading(wall: WallClock.nanoseconds(), steady: Self.uptime(), boot: Self.thisBoot)
  }

  /// Nanoseconds since the machine was started, for waits that no setting of the clock may end or prolong.
  public static func uptime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Linux draws it at each start.
  private static let thisBoot: String =
    ((try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "")
    .trimmingCharacters(in: .whitespacesAndNewlines)
}

extension Zone {
  /// Reads the time zone of a request.
  ///
  /// - Parameter name: Of the IANA database, such as Asia/Tokyo; empty = the zone that this machine is set to now.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` naming `time_zone`.
  public static func reading(_ name: String) throws(Failure) -> Zone {
    guard !name.isEmpty else { return .system() }
    guard let zone = Zone(named: name) else {
      throw .invalid(
        field: "time_zone", "'\(name.prefix(64))' is no time zone. Give the name of one, such as Asia/Tokyo.")
    }
    return zone
  }
}
