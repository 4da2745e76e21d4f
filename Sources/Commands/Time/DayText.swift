internal import ArgumentParser
internal import CivilTime
internal import SwiftProtobuf

/// A day as a person types it: `2026-11-20`, `today`, `yesterday`.
enum DayText: Hashable, Sendable {
  case today, yesterday
  case date(Day)

  /// - Returns: Nil for anything else.
  init?(_ text: some StringProtocol) {
    switch text.lowercased() {
    case "today": self = .today
    case "yesterday": self = .yesterday
    default:
      guard let day = Day(text) else { return nil }
      self = .date(day)
    }
  }

  /// The day on the calendar.
  func day(now: Google_Protobuf_Timestamp, in zone: Zone) -> Day {
    switch self {
    case .today: zone.day(of: now)
    case .yesterday: zone.day(of: now).adding(days: -1)
    case .date(let date): date
    }
  }
}

/// A day as the value of a field; empty text clears the field.
struct DayArgument: ExpressibleByArgument, Sendable {
  static let help: ArgumentHelp = "The day: YYYY-MM-DD, today or yesterday."
  static let today = DayArgument(day: .today)

  private let day: DayText?

  private init(day: DayText?) { self.day = day }

  init?(argument: String) {
    self.day = DayText(argument)
    guard self.day != nil || argument.isEmpty else { return nil }
  }

  /// The value of the field.
  func text(_ session: Session) -> String { self.day?.day(now: session.now, in: session.zone).description ?? "" }
}
