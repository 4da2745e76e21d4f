internal import ArgumentParser
internal import Bus
internal import CivilTime
internal import SwiftProtobuf

/// A time as a person types it, in English or Japanese.
///
/// | typed | means |
/// | --- | --- |
/// | `2026-11-20T14:30:00+01:00` | that moment (RFC 3339) |
/// | `2026-11-20 14:30`, `yesterday 9:00`, `tomorrow at 8pm`, `昨日20時` | when clocks here show it |
/// | `14:30`, `8pm`, `午後8時` | the same, today |
/// | `10 min ago`, `in 2 hours`, `now`, `10分前` | counted from now |
/// | a ``DayText`` | the whole day, or all days, where a day makes sense |
enum TimeText: Hashable, Sendable {
  case moment(seconds: Int64, nanos: Int32)
  case fromNow(seconds: Int64)
  case clock(DayText, secondOfDay: Int)
  case day(DayText)

  /// Reads a point in time.
  ///
  /// - Throws: `ValidationError` for anything else, days included.
  static func point(_ text: String) throws -> TimeText {
    let time = try Self.pointOrDay(text)
    guard case .day(let day) = time else { return time }
    // Where a time is asked for, days ago are counted to the second.
    if case .offset(let days) = day, DayWords.span(DayWords.plain(text)) != nil {
      return .fromNow(seconds: Int64(days) * 86_400)
    }
    throw ValidationError("Give the time of day too, as in \"\(text) 14:30\".")
  }

  /// Reads a point in time or a day.
  ///
  /// - Throws: `ValidationError` for anything else.
  static func pointOrDay(_ text: String) throws -> TimeText {
    guard let time = TimeText(text) else {
      throw ValidationError(
        """
        Times are written "2026-11-20 14:30", "yesterday 9:00", 8pm, "10 min ago", "in 3 days", "last week" or \
        2026-11-20T14:30:00Z.
        """)
    }
    return time
  }

  /// - Returns: Nil for anything else.
  private init?(_ text: String) {
    if let stamp = Self.stamp(text) {
      self = stamp
      return
    }
    let text = DayWords.plain(text)
    if ["now", "今"].contains(text) {
      self = .fromNow(seconds: 0)
    } else if let (count, unit) = DayWords.span(text), unit == .minute || unit == .hour {
      self = .fromNow(seconds: Int64(count) * (unit == .minute ? 60 : 3600))
    } else if let day = DayText(text) {
      self = .day(day)
    } else if let second = DayWords.clock(text) {
      self = .clock(.offset(0), secondOfDay: second)
    } else if let time = Self.dayAndClock(text) {
      self = time
    } else {
      return nil
    }
  }

  /// A day with a time behind it or before it; Japanese needs no blank between them.
  private static func dayAndClock(_ text: String) -> TimeText? {
    for index in text.indices.dropFirst() where index > text.startIndex {
      let day = text[..<index].reversed().drop { $0 == " " || $0 == "の" }.reversed()
      if let second = DayWords.clock(text[index...]), let day = DayText(String(day)), day.isOneDay {
        return .clock(day, secondOfDay: second)
      }
      if text[index] == " ", let second = DayWords.clock(text[..<index]),
        let day = DayText(text[text.index(after: index)...]), day.isOneDay
      {
        return .clock(day, secondOfDay: second)
      }
    }
    return nil
  }

  /// The moment; of a day or several, the first.
  ///
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` for a time that clocks never show, or show twice.
  func start(
    now: Google_Protobuf_Timestamp, in zone: Zone, _ direction: DayText.Direction = .past
  ) throws(Failure) -> Google_Protobuf_Timestamp {
    let today = zone.day(of: now)
    switch self {
    case .moment(let seconds, let nanos): return .init(seconds: seconds, nanos: nanos)
    case .fromNow(let seconds): return .init(seconds: now.seconds + seconds, nanos: now.nanos)
    case .day(let day): return .init(nanosecondsSince1970: zone.start(of: day.days(today: today, direction).lowerBound))
    case .clock(let day, let second):
      let moments = zone.instants(of: day.days(today: today, direction).lowerBound, second: second)
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

  /// The moment; of a day or several, the first after them.
  func end(now: Google_Protobuf_Timestamp, in zone: Zone) throws(Failure) -> Google_Protobuf_Timestamp {
    guard case .day(let day) = self else { return try self.start(now: now, in: zone) }
    let last = day.days(today: zone.day(of: now)).upperBound
    return .init(nanosecondsSince1970: zone.start(of: last.adding(days: 1)))
  }

  /// The day, with the time if it has one, as fields of what is to come carry it: `2026-12-24 18:00`.
  ///
  /// - Throws: As ``start(now:in:_:)``.
  func localText(_ session: Session) throws(Failure) -> String {
    let start = try self.start(now: session.now, in: session.zone, .future)
    guard case .day = self else { return session.zone.text(start) }
    return session.zone.day(of: start).description
  }

  private static func stamp(_ text: String) -> TimeText? {
    guard let time = try? Google_Protobuf_Timestamp(jsonString: "\"\(text)\"") else { return nil }
    return .moment(seconds: time.seconds, nanos: time.nanos)
  }
}

/// The time of an event, `--at`.
struct MomentOption: ParsableArguments {
  @Option(
    help: "When: \"2026-11-20 14:30\", 14:30, 8pm, \"yesterday 9:00\", \"10 min ago\", 昨日20時 or RFC 3339.",
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
}
