public import CivilTime
internal import Foundation
import Glibc
public import SwiftProtobuf

/// The time of day, for time stamps. Waits use the monotonic clock.
///
/// ```swift
/// let created = WallClock.nanoseconds()
/// let stamp = Google_Protobuf_Timestamp(nanosecondsSince1970: created)
/// ```
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

  /// Makes a time stamp from nanoseconds since 1970.
  public init(nanosecondsSince1970 nanoseconds: Int64) {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self =
      rest < 0
      ? .init(seconds: seconds - 1, nanos: Int32(rest + 1_000_000_000)) : .init(seconds: seconds, nanos: Int32(rest))
  }

  /// Nanoseconds since 1970; clamped for a time stamp before 1677 or after 2262.
  public var nanosecondsSince1970: Int64 {
    let (whole, overflow) = self.seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(Int64(self.nanos))
    return overflow || carry ? (self.seconds < 0 ? .min : .max) : sum
  }
}

/// A reading of two clocks at one moment: the time of day, which people and time servers set, and the time since the
/// machine started, which nobody sets.
///
/// ```swift
/// let start = ClockReading.now()
/// let now = ClockReading.now()
/// if now.boot == start.boot { print("\(now.steady - start.steady) ns have passed") }
/// ```
public struct ClockReading: Sendable, Hashable {
  /// Nanoseconds since 1970.
  public let wall: Int64
  /// Nanoseconds since the machine started, including sleep.
  public let steady: Int64
  /// Identifies the start of the machine.
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

  /// Nanoseconds since the machine started, for waits that setting the clock must neither end nor prolong.
  public static func uptime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Linux generates it at each start.
  private static let thisBoot: String =
    ((try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? "")
    .trimmingCharacters(in: .whitespacesAndNewlines)
}

extension Zone {
  /// Reads the time zone of a request.
  ///
  /// - Parameter name: An IANA name, such as Asia/Tokyo; empty = the current zone of this machine.
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
