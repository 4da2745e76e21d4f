internal import Foundation
import Glibc

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
