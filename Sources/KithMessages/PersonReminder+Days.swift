public import CivilTime

extension PersonReminder {
  /// The next day that the reminder is due, counted as the server counts; nil without a day to begin with.
  ///
  /// A day that a month does not have runs into the next month, and what follows goes on from there: a reminder of every
  /// month from 31 August is due on 1 October and 1 November. One that happens once and has passed comes again by years
  /// (both observed on Monica 4.1.2).
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
    while day < today {
      let (year, month, dayOfMonth) = day.components
      day = Day(year: year, month: month + months, overflowing: dayOfMonth)
    }
    return day
  }
}
