internal import Foundation

/// A time zone of the IANA database: converts between instants and local dates and times.
///
/// Instants are nanoseconds since 1970, UTC.
public struct Zone: Sendable, Hashable {
  private let zone: TimeZone

  /// The IANA name.
  public var name: String { self.zone.identifier }

  /// Finds a zone by its IANA name; nil if there is none.
  public init?(named name: String) {
    guard Self.isName(name), let zone = TimeZone(identifier: name) else { return nil }
    self.zone = zone
  }

  /// The current zone of this machine.
  ///
  /// On Linux Foundation caches its first answer, so the cache is cleared: the zone may have changed.
  public static func system() -> Zone {
    NSTimeZone.resetSystemTimeZone()
    return Zone(zone: TimeZone.current)
  }

  private init(zone: TimeZone) { self.zone = zone }

  /// Whether it may be an IANA name: with a region, or one of the few without, such as Japan. Foundation also accepts
  /// abbreviations and offsets, which do not define summer time.
  private static func isName(_ name: String) -> Bool {
    if name.contains("/") || ["UTC", "GMT"].contains(name) { return true }
    return name.allSatisfy(\.isLetter) && TimeZone.abbreviationDictionary[name] == nil
  }

  /// The offset from UTC in seconds.
  public func offset(at instant: Int64) -> Int { self.offset(second: Self.second(of: instant)) }

  /// The local day and time at an instant.
  public func local(at instant: Int64) -> (day: Day, time: TimeOfDay) {
    let (day, second) = self.local(second: Self.second(of: instant))
    return (day, TimeOfDay(secondOfDay: second))
  }

  /// The local day at an instant.
  public func day(at instant: Int64) -> Day { self.local(at: instant).day }

  /// The local time at an instant.
  public func time(at instant: Int64) -> TimeOfDay { self.local(at: instant).time }

  /// The first instant at which the local clock shows this time of this day or a later one.
  ///
  /// A skipped time is the end of the skip; a repeated time is its first occurrence. So every day has each time once.
  ///
  /// - Returns: nil for a day that did not exist, as when a country moves across the date line; clamped before 1678 and
  ///   after 2262.
  public func instant(of day: Day, at time: TimeOfDay) -> Int64? {
    let midnight = day.number * Day.seconds
    guard let start = self.firstSecond(showing: midnight), self.local(second: start).day == day else { return nil }
    return self.firstSecond(showing: midnight + time.secondOfDay)?.nanoseconds
  }

  /// The instants at which the local clock shows a second of a day: none if it is skipped, two if it is repeated.
  ///
  /// - Parameter second: The second of the day: 0 to 86,399.
  public func instants(of day: Day, second: Int) -> [Int64] {
    let wall = day.number * Day.seconds + second
    // Clocks change at most once in two days.
    return Set([self.offset(second: wall - Day.seconds), self.offset(second: wall + Day.seconds)])
      .map { wall - $0 }.filter { $0 + self.offset(second: $0) == wall }.sorted().map(\.nanoseconds)
  }

  /// The first instant of a day, or of the next day that existed; clamped before 1678 and after 2262.
  public func start(of day: Day) -> Int64 {
    let midnight = day.number * Day.seconds
    // In every zone each day has ended so far.
    return (self.firstSecond(showing: midnight) ?? midnight).nanoseconds
  }

  /// The first second at which the local clock, counted as if it were UTC, is at `wall` or later.
  ///
  /// Between two changes of its offset a clock runs evenly, so each such period is searched in turn.
  private func firstSecond(showing wall: Int) -> Int? {
    var start = wall - Self.widest
    var offset = self.offset(second: start)
    for next in stride(from: start + Self.step, through: wall + Self.widest, by: Self.step) {
      let later = self.offset(second: next)
      let end = later == offset ? next : self.change(after: next - Self.step, until: next)
      if max(start, wall - offset) < end { return max(start, wall - offset) }
      (start, offset) = (end, later)
    }
    return nil
  }

  /// The first second with the offset of `last`.
  private func change(after first: Int, until last: Int) -> Int {
    var (before, after) = (first, last)
    let new = self.offset(second: last)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if self.offset(second: middle) == new { after = middle } else { before = middle }
    }
    return after
  }

  private func local(second: Int) -> (day: Day, second: Int) {
    let (day, rest) = (second + self.offset(second: second)).dividedDown(by: Day.seconds)
    return (Day(number: day), rest)
  }

  private func offset(second: Int) -> Int {
    self.zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(second)))
  }

  private static func second(of instant: Int64) -> Int { Int(instant).dividedDown(by: 1_000_000_000).quotient }

  /// No offset from UTC, and no change of it, exceeds a day and some hours.
  private static let widest = 36 * 3600
  /// No zone changes its offset twice within this many seconds.
  private static let step = 3 * 3600
}

extension Zone {
  /// The local time at an instant in the format of mail: `Fri, 20 Nov 2026 21:00:00 +0900`. RFC 5322, 3.3.
  public func mailDate(at instant: Int64) -> String {
    let (date, time) = self.local(at: instant)
    let (year, month, day) = date.components
    let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // In whole minutes; offsets before the twentieth century had seconds.
    let offset = self.offset(at: instant) / 60
    let second = Int(instant).dividedDown(by: 1_000_000_000).quotient.dividedDown(by: 60).remainder
    let sign = offset < 0 ? "-" : "+"
    return "\(days[date.weekday]), \(day) \(months[month - 1]) \(year) \(time):\(second.padded()) "
      + "\(sign)\((abs(offset) / 60).padded())\((abs(offset) % 60).padded())"
  }

  /// The form of RFC 3339 with the offset of the zone: `2026-11-21T08:15:00+01:00`.
  ///
  /// - Parameter instant: Nanoseconds since 1970.
  public func stamp(_ instant: Int64) -> String {
    let local = self.local(at: instant)
    let second = Int(instant).dividedDown(by: 60_000_000_000).remainder / 1_000_000_000
    let offset = self.offset(at: instant)
    let ahead = abs(offset) / 60
    return "\(local.day)T\(local.time):\(second.padded())\(offset < 0 ? "-" : "+")"
      + "\((ahead / 60).padded()):\((ahead % 60).padded())"
  }
}
