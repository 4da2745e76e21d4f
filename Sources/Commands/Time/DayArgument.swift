internal import ArgumentParser
internal import CivilTime

/// A day as the value of a field; empty text clears the field.
struct DayArgument: ExpressibleByArgument, Sendable {
  static let help: ArgumentHelp = "The day: 2026-11-20, yesterday, 'last monday', 'in 3 days', 来週月曜."
  static let today = DayArgument(day: .offset(0))

  private let day: DayText?
  /// Which day of several is meant.
  private let isLast: Bool

  /// What help shows for one that is usual.
  var defaultValueDescription: String { self.day == nil ? "" : "today" }

  fileprivate init(day: DayText?, isLast: Bool = false) {
    self.day = day
    self.isLast = isLast
  }

  init?(argument: String) {
    self.init(day: DayText(argument))
    guard self.day?.isOneDay ?? argument.isEmpty else { return nil }
  }

  /// Whether it is the same whatever day today is.
  var isFixed: Bool {
    guard let day else { return true }
    guard case .date = day else { return false }
    return true
  }

  /// The value of the field.
  ///
  /// - Parameter zone: Whose day it is; nil = that of the session.
  func text(_ session: Session, _ direction: DayText.Direction = .past, in zone: Zone? = nil) -> String {
    let today = (zone ?? session.zone).day(of: session.now)
    guard let days = self.day?.days(today: today, direction) else { return "" }
    return (self.isLast ? days.upperBound : days.lowerBound).description
  }
}

/// An end of a span of days: a day, or a week or a month, of which it is the first or the last day.
struct DaysArgument: ExpressibleByArgument, Sendable {
  private let days: DayText

  init?(argument: String) {
    guard let days = DayText(argument) else { return nil }
    self.days = days
  }

  /// Where the span begins.
  var first: DayArgument { DayArgument(day: self.days) }
  /// Where it ends.
  var last: DayArgument { DayArgument(day: self.days, isLast: true) }
}
