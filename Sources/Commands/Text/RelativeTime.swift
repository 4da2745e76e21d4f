internal import Bus
internal import CivilTime
internal import SwiftProtobuf

/// Times relative to the present, in words.
enum RelativeTime {
  private static let units: [(seconds: Int64, name: String)] = [
    (31_536_000, "year"), (2_629_800, "month"), (86_400, "day"), (3600, "hour"), (60, "minute"),
  ]

  /// `2 minutes ago`, `in 3 days`, `just now`; `never` if the time is not set.
  static func words(_ time: Google_Protobuf_Timestamp, now: Google_Protobuf_Timestamp) -> String {
    guard time.seconds != 0 else { return "never" }
    let seconds = now.seconds - time.seconds
    guard let span = self.span(abs(seconds)) else { return "just now" }
    return seconds > 0 ? "\(span) ago" : "in \(span)"
  }

  /// The time of the next attempt: `in 3 days`; `in a moment` if it is due.
  static func next(_ time: Google_Protobuf_Timestamp, now: Google_Protobuf_Timestamp) -> String {
    self.span(time.seconds - now.seconds).map { "in \($0)" } ?? "in a moment"
  }

  /// `today`, `yesterday`, `3 days ago`, `in 2 months`.
  static func words(_ day: Day, today: Day) -> String {
    switch day.number - today.number {
    case 0: return "today"
    case -1: return "yesterday"
    case 1: return "tomorrow"
    case let days:
      let span = self.span(Int64(abs(days)) * 86_400) ?? "0 days"
      return days < 0 ? "\(span) ago" : "in \(span)"
    }
  }

  /// `2 minutes`; nil under a minute.
  static func span(_ seconds: Int64) -> String? {
    guard let unit = self.units.first(where: { seconds >= $0.seconds }) else { return nil }
    return Count.of(Int(seconds / unit.seconds), unit.name)
  }
}
