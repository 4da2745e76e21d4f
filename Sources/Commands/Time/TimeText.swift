internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import SwiftProtobuf

/// A time as a person types it.
///
/// | typed | means |
/// | --- | --- |
/// | `2026-11-20T14:30:00+01:00` | that moment (RFC 3339) |
/// | `2026-11-20 14:30`, `today 14:30`, `yesterday 9:00` | when clocks here show it |
/// | `10 min ago`, `2 hours ago`, `now` | counted from now |
/// | `2026-11-20`, `today`, `yesterday` | the whole day, where a day makes sense |
enum TimeText: Hashable, Sendable {
  case moment(seconds: Int64, nanos: Int32)
  case ago(seconds: Int64)
  case clock(DayText, secondOfDay: Int)
  case day(DayText)

  /// Reads a point in time.
  ///
  /// - Throws: `ValidationError` for anything else, days included.
  static func point(_ text: String) throws -> TimeText {
    let time = try Self.pointOrDay(text)
    guard case .day = time else { return time }
    throw ValidationError("Give the time of day too, as in \"\(text) 14:30\".")
  }

  /// Reads a point in time or a day.
  ///
  /// - Throws: `ValidationError` for anything else.
  static func pointOrDay(_ text: String) throws -> TimeText {
    let words = text.split(separator: " ")
    let time: TimeText? =
      switch words.count {
      case 1 where words[0].lowercased() == "now": .ago(seconds: 0)
      case 1: Self.stamp(words[0]) ?? DayText(words[0]).map { .day($0) }
      case 2: Self.clock(words[0], words[1])
      case 3 where words[2].lowercased() == "ago": Self.span(words[0], words[1]).map { .ago(seconds: $0) }
      default: nil
      }
    guard let time else {
      throw ValidationError(
        """
        Times are written 2026-11-20T14:30:00Z, "2026-11-20 14:30", "today 14:30", "yesterday 9:00" or "10 min ago".
        """)
    }
    return time
  }

  /// The moment; of a day, its first.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a time that clocks never show, or show twice.
  func start(now: Google_Protobuf_Timestamp, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp {
    switch self {
    case .moment(let seconds, let nanos): return .init(seconds: seconds, nanos: nanos)
    case .ago(let seconds): return .init(seconds: now.seconds - seconds, nanos: now.nanos)
    case .day(let day): return .init(nanosecondsSince1970: zone.start(of: day.day(now: now, in: zone)))
    case .clock(let day, let second):
      let moments = zone.instants(of: day.day(now: now, in: zone), second: second)
      guard let first = moments.first else {
        throw Failure.invalid(
          field: "time", "Clocks in \(zone.name) are put forward over that time and never show it. Give another one.")
      }
      guard moments.count == 1 else {
        let forms = moments.map(zone.stamp).joined(separator: " or ")
        throw Failure.invalid(field: "time", "Clocks in \(zone.name) show that time twice. Give one of: \(forms).")
      }
      guard first > .min, first < .max else {
        throw Failure.invalid(field: "time", "The year has to be from 1678 to 2262.")
      }
      return .init(nanosecondsSince1970: first)
    }
  }

  /// The moment; of a day, the first after it.
  func end(now: Google_Protobuf_Timestamp, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp {
    guard case .day(let day) = self else { return try self.start(now: now, in: zone) }
    return .init(nanosecondsSince1970: zone.start(of: day.day(now: now, in: zone).adding(days: 1)))
  }

  private static func stamp(_ text: Substring) -> TimeText? {
    guard let time = try? Google_Protobuf_Timestamp(jsonString: "\"\(text)\"") else { return nil }
    return .moment(seconds: time.seconds, nanos: time.nanos)
  }

  private static func clock(_ day: Substring, _ clock: Substring) -> TimeText? {
    let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { (1...2).contains($0.utf8.count) ? UInt8($0) : nil }
    guard let day = DayText(day), (2...3).contains(parts.count), numbers.count == parts.count, numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    return .clock(day, secondOfDay: zip(numbers, [3600, 60, 1]).reduce(0) { $0 + Int($1.0) * $1.1 })
  }

  private static func span(_ count: Substring, _ unit: Substring) -> Int64? {
    let units: [(names: Set<String>, seconds: Int64)] = [
      (["min", "mins", "minute", "minutes"], 60), (["h", "hour", "hours"], 3600), (["day", "days"], 86_400),
      (["week", "weeks"], 604_800),
    ]
    // A number of six digits is more than a lifetime of days and overflows nothing.
    guard let number = Int64(count), (0..<1_000_000).contains(number),
      let unit = units.first(where: { $0.names.contains(unit.lowercased()) })
    else { return nil }
    return number * unit.seconds
  }
}

/// The time of an event, `--at`.
struct MomentOption: ParsableArguments {
  @Option(
    help: "When: \"2026-11-20 14:30\", \"today 14:30\", \"yesterday 9:00\", \"10 min ago\" or RFC 3339.",
    transform: TimeText.point)
  var at: TimeText?

  /// The moment; nil if none was given.
  func moment(_ session: Session) throws(Failure) -> Google_Protobuf_Timestamp? {
    try self.at?.start(now: session.now, in: session.zone)
  }
}

extension Zone {
  /// The day of a moment.
  func day(of time: Google_Protobuf_Timestamp) -> Day { self.day(at: time.nanosecondsSince1970) }

  /// `2026-11-21 08:15`.
  func text(_ time: Google_Protobuf_Timestamp) -> String {
    let local = self.local(at: time.nanosecondsSince1970)
    return "\(local.day) \(local.time)"
  }

  /// The form of RFC 3339 with the offset of the zone: `2026-11-21T08:15:00+01:00`.
  ///
  /// - Parameter instant: Nanoseconds since 1970.
  func stamp(_ instant: Int64) -> String {
    let local = self.local(at: instant)
    let second = Int(instant).dividedDown(by: 60_000_000_000).remainder / 1_000_000_000
    let offset = self.offset(at: instant)
    let ahead = abs(offset) / 60
    return "\(local.day)T\(local.time):\(second.padded())\(offset < 0 ? "-" : "+")"
      + "\((ahead / 60).padded()):\((ahead % 60).padded())"
  }
}
