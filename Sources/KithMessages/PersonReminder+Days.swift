extension PersonReminder {
  /// The next day that the reminder is due, counted as the server counts; nil without a day to begin with.
  ///
  /// A day that a month does not have runs into the next month, and what follows goes on from there: a reminder of every
  /// month from 31 August is due on 1 October and 1 November. One that happens once and has passed comes again by years
  /// (both observed on Monica 4.1.2).
  ///
  /// - Parameter today: Due today is due.
  public func nextDay(from today: CalendarDay) -> CalendarDay? {
    guard var day = CalendarDay(self.initialDate) else { return nil }
    let every = Int(max(1, self.every))
    if self.frequency == "week" {
      let (days, length) = (today.daysSince1970 - day.daysSince1970, 7 * every)
      let passed = days > 0 ? (days + length - 1) / length : 0
      return CalendarDay(daysSince1970: day.daysSince1970 + passed * length)
    }
    let months = self.frequency == "month" ? every : self.frequency == "year" ? 12 * every : 12
    while day < today { day = CalendarDay(year: day.year, month: day.month + months, overflowing: day.day) }
    return day
  }
}
