public import CivilTime
internal import SwiftProtobuf

extension PersonReminder {
  /// The next day that the reminder is due, computed as the Monica server does; nil if it does not recur or has no
  /// initial date.
  ///
  /// A day that a month does not have becomes a day of the next month, and the next dates are counted from there: a
  /// monthly reminder from 31 August is due on 1 October and 1 November. A one-time reminder whose day had passed when
  /// it was created is due on that day of a later year (both observed on Monica 4.1.2). When it was due, the server
  /// deactivates it (`app/Jobs/Reminder/NotifyUserAboutReminder.php` of 4.1.2).
  ///
  /// - Parameter today: The first possible day.
  public func nextDay(from today: Day) -> Day? {
    guard var day = Day(self.initialDate) else { return nil }
    let every = Int(max(1, self.every))
    if self.knownFrequency == .week {
      let (days, length) = (today.number - day.number, 7 * every)
      return day.adding(days: days > 0 ? (days + length - 1) / length * length : 0)
    }
    let months = self.knownFrequency == .month ? every : self.knownFrequency == .year ? 12 * every : 12
    let end = self.knownFrequency == .oneTime ? min(self.dayOfMaking, today) : today
    while day < end {
      let (year, month, dayOfMonth) = day.components
      day = Day(year: year, month: month + months, overflowing: dayOfMonth)
    }
    return day < today ? nil : day
  }

  /// The creation day in the time zone where days begin last, 12 hours behind UTC. The creator's time zone is unknown,
  /// and its date may have been that early.
  private var dayOfMaking: Day { Day(number: Int(max(0, self.createdAt.seconds) - 12 * 3600) / 86_400) }
}
