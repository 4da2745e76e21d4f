internal import Bus
internal import CivilTime
internal import SwiftProtobuf

// Times relative to the present, in words.
extension Language {
  private static let units: [(seconds: Int64, english: String, japanese: String)] = [
    (31_536_000, "year", "年"), (2_629_800, "month", "か月"), (86_400, "day", "日"), (3600, "hour", "時間"),
    (60, "minute", "分"),
  ]

  /// `2 minutes ago`, `in 3 days`, `just now`; `never` if the time is not set.
  func relative(_ time: Google_Protobuf_Timestamp, now: Google_Protobuf_Timestamp) -> String {
    guard time.seconds != 0 else { return self("never", "なし") }
    let seconds = now.seconds - time.seconds
    guard let span = self.span(abs(seconds)) else { return self("just now", "たった今") }
    return seconds > 0 ? self("\(span) ago", "\(span)前") : self("in \(span)", "\(span)後")
  }

  /// The time of the next attempt: `in 3 days`; `in a moment` if it is due.
  func next(_ time: Google_Protobuf_Timestamp, now: Google_Protobuf_Timestamp) -> String {
    self.span(time.seconds - now.seconds).map { self("in \($0)", "\($0)後") } ?? self("in a moment", "まもなく")
  }

  /// `today`, `yesterday`, `3 days ago`, `in 2 months`.
  func relative(_ day: Day, today: Day) -> String {
    switch day.number - today.number {
    case 0: return self("today", "今日")
    case -1: return self("yesterday", "昨日")
    case 1: return self("tomorrow", "明日")
    case let days:
      let span = self.span(Int64(abs(days)) * 86_400) ?? ""
      return days < 0 ? self("\(span) ago", "\(span)前") : self("in \(span)", "\(span)後")
    }
  }

  /// `2 minutes`; nil under a minute.
  func span(_ seconds: Int64) -> String? {
    guard let unit = Self.units.first(where: { seconds >= $0.seconds }) else { return nil }
    let count = Int(seconds / unit.seconds)
    return self(Count.of(count, unit.english), "\(count)\(unit.japanese)")
  }
}
