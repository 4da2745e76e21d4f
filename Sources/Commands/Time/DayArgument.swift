internal import ArgumentParser
internal import CivilTime

/// A day as the value of a field; empty text clears the field.
struct DayArgument: ExpressibleByArgument, Sendable {
  static let help: ArgumentHelp = "The day: 2026-11-20, yesterday, 'last monday', 'in 3 days', 来週月曜."
  static let today = DayArgument(day: .offset(0))

  private let day: DayText?

  /// What help shows for one that is usual.
  var defaultValueDescription: String { self.day == nil ? "" : "today" }

  private init(day: DayText?) { self.day = day }

  init?(argument: String) {
    self.day = DayText(argument)
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
    return self.day?.days(today: today, direction).lowerBound.description ?? ""
  }
}
