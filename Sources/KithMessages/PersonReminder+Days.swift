public import CivilTime
internal import SwiftProtobuf

extension PersonReminder {
  /// The next day that the reminder is due, counted as the server counts; nil where it does not come again, and without
  /// a day to begin with.
  ///
  /// A day that a month does not have runs into the next month, and what follows goes on from there: a reminder of every
  /// month from 31 August is due on 1 October and 1 November. One that comes once and whose day had passed when it was
  /// made comes on that day of a later year (both observed on Monica 4.1.2). When it has come, the server sets it aside
  /// (`app/Jobs/Reminder/NotifyUserAboutReminder.php` of 4.1.2).
  ///
  /// - Parameter today: Due today is due.
  public func nextDay(from today: Day) -> Day? {
    guard var day = Day(self.initialDate) else { return nil }
    let every = Int(max(1, self.every))
    if self.frequency == "week" {
      let (days, length) = (today.number - day.number, 7 * every)
      return day.adding(days: days > 0 ? (days + length - 1) / length * length : 0)
    }
    let months = self.frequency == "month" ? every : self.frequency == "year" ? 12 * every : 12
    let end = self.frequency == "one_time" ? min(self.dayOfMaking, today) : today
    while day < end {
      let (year, month, dayOfMonth) = day.components
      day = Day(year: year, month: month + months, overflowing: dayOfMonth)
    }
    return day < today ? nil : day
  }

  /// The day on which it was made, where days begin last: 12 hours behind UTC. Where it was made is not known, and
  /// there it may have been for the same day.
  private var dayOfMaking: Day { Day(number: Int(max(0, self.createdAt.seconds) - 12 * 3600) / 86_400) }
}
