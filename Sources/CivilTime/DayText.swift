/// A day or several as a person types it, in English or Japanese.
///
/// | typed | means |
/// | --- | --- |
/// | `2026-11-20`, `2026/11/20` | that day |
/// | `20 nov`, `11月20日` | that day of the year that is nearest in the expected direction |
/// | `today`, `yesterday`, `tomorrow`; `今日`, `昨日`, `明日` | a day counted from today |
/// | `3 days ago`, `in 2 weeks`, `in 1 month`; `3日前`, `2週間後` | the same |
/// | `monday`, `last monday`, `next monday`; `月曜` | the nearest such day |
/// | `monday next week`; `来週月曜`, `先週の金曜日` | that day of the week, which begins on Monday |
/// | `last week`, `this month`; `先週`, `来月` | all days of it |
package enum DayText: Hashable, Sendable {
  /// Where a day without a year or week is looked for.
  package enum Direction: Sendable {
    /// Today or before: of what was recorded.
    case past
    /// Today or after: of what is to come.
    case future
  }

  case date(Day)
  /// Days from today.
  case offset(Int)
  /// Months from today.
  case months(Int)
  /// A day of any year.
  case monthDay(month: Int, day: Int)
  /// 0 = Monday. before: -1 = before today, 1 = after today, 0 = the nearest in the expected direction.
  case weekday(Int, before: Int)
  /// A day of a week, counted from this one.
  case dayOfWeek(Int, week: Int)
  case week(Int)
  case month(Int)

  /// - Returns: Nil for anything else.
  package init?(_ text: some StringProtocol) {
    let text = DayWords.plain(text)
    guard let day = Self.date(text) ?? DayWords.days[text] ?? Self.span(text) ?? Self.weekday(text) else { return nil }
    self = day
  }

  /// Whether it is one day.
  package var isOneDay: Bool {
    switch self {
    case .week, .month: false
    default: true
    }
  }

  /// The first and the last day on the calendar.
  package func days(today: Day, _ direction: Direction = .past) -> ClosedRange<Day> {
    let (year, month, dayOfMonth) = today.components
    switch self {
    case .date(let day): return day...day
    case .offset(let days): return today.adding(days: days)...today.adding(days: days)
    case .months(let count):
      // The 31st of a shorter month is its last day.
      let (targetYear, targetMonth) = Self.month(month + count, of: year)
      let last = Self.lastDay(targetYear, targetMonth)
      let day = min(Day(year: targetYear, month: targetMonth, overflowing: dayOfMonth), last)
      return day...day
    case .monthDay(let month, let day):
      let years = direction == .past ? [year, year - 1] : [year, year + 1]
      let days = years.map { Day(year: $0, month: month, overflowing: day) }
      let meant = days.first { direction == .past ? $0 <= today : $0 >= today } ?? days[0]
      return meant...meant
    case .weekday(let weekday, let before):
      let ahead = (weekday - today.weekday + 7) % 7
      let next = ahead == 0 ? 7 : ahead
      let days =
        switch before {
        case -1: next - 7 == 0 ? -7 : ahead == 0 ? -7 : ahead - 7
        case 1: next
        default: direction == .future || ahead == 0 ? ahead : ahead - 7
        }
      return today.adding(days: days)...today.adding(days: days)
    case .dayOfWeek(let weekday, let week):
      let day = today.monday.adding(days: week * 7 + weekday)
      return day...day
    case .week(let count):
      let monday = today.monday.adding(days: count * 7)
      return monday...monday.adding(days: 6)
    case .month(let count):
      let (year, month) = Self.month(month + count, of: year)
      return Day(year: year, month: month, overflowing: 1)...Self.lastDay(year, month)
    }
  }

  private static func month(_ month: Int, of year: Int) -> (year: Int, month: Int) {
    let months = year * 12 + month - 1
    return (months / 12, months % 12 + 1)
  }

  private static func lastDay(_ year: Int, _ month: Int) -> Day {
    let next = Self.month(month + 1, of: year)
    return Day(year: next.year, month: next.month, overflowing: 1).adding(days: -1)
  }

  private static func date(_ text: String) -> DayText? {
    if let day = Day(text.replacing("/", with: "-")) { return .date(day) }
    let parts = text.split { "年月日".contains($0) }.map { Int($0.filter { $0 != " " }) }
    if text.hasSuffix("日"), text.contains("月"), !parts.contains(nil) {
      let numbers = parts.compactMap { $0 }
      if numbers.count == 3, text.contains("年") {
        return Day(year: numbers[0], month: numbers[1], day: numbers[2]).map { .date($0) }
      }
      return numbers.count == 2 ? Self.day(numbers[1], of: numbers[0]) : nil
    }
    let words = text.split(separator: " ")
    guard words.count == 2 else { return nil }
    for (name, day) in [(words[0], words[1]), (words[1], words[0])] {
      if let month = DayWords.months.firstIndex(where: { name.hasPrefix($0) && name.count <= 9 }), let day = Int(day) {
        return Self.day(day, of: month + 1)
      }
    }
    return nil
  }

  private static func day(_ day: Int, of month: Int) -> DayText? {
    // A year with a 29th of February.
    Day(year: 2024, month: month, day: day) == nil ? nil : .monthDay(month: month, day: day)
  }

  private static func span(_ text: String) -> DayText? {
    guard let (count, unit) = DayWords.span(text) else { return nil }
    return switch unit {
    case .day: .offset(count)
    case .week: .offset(7 * count)
    case .month: .months(count)
    case .year: .months(12 * count)
    case .minute, .hour: nil
    }
  }

  private static func weekday(_ text: String) -> DayText? {
    if let weekday = DayWords.weekday(text) { return .weekday(weekday, before: 0) }
    for (word, before) in [("last ", -1), ("next ", 1)] where text.hasPrefix(word) {
      return DayWords.weekday(text.dropFirst(word.count)).map { .weekday($0, before: before) }
    }
    for (word, day) in DayWords.days {
      guard case .week(let week) = day else { continue }
      if text.hasPrefix(word), let weekday = DayWords.weekday(text.dropFirst(word.count).trimmingPrefix("の")) {
        return .dayOfWeek(weekday, week: week)
      }
      if text.hasSuffix(" " + word), let weekday = DayWords.weekday(text.dropLast(word.count + 1)) {
        return .dayOfWeek(weekday, week: week)
      }
    }
    return nil
  }
}
