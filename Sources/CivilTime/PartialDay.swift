/// A day of a person's life of which parts may be unknown: `1950-05-17`, `--05-17` without the year, `~1950` if only the age is known.
///
/// ```swift
/// PartialDay("--05-17")?.next(from: today)  // 17 May of this year or the next
/// ```
public enum PartialDay: Sendable, Hashable {
  /// A whole date.
  case day(Day)
  /// A day of every year.
  case yearless(month: Int, day: Int)
  /// About this year.
  case year(Int)

  /// Reads the text of a record; nil if it is none of the three.
  public init?(_ text: String) {
    if let day = Day(text) {
      self = .day(day)
    } else if text.hasPrefix("--"), let day = Day("2000" + text.dropFirst()) {
      // 2000 has a 29 February.
      self = .yearless(month: day.components.month, day: day.components.day)
    } else if text.hasPrefix("~"), let year = Int(text.dropFirst()), (1...9999).contains(year) {
      self = .year(year)
    } else {
      return nil
    }
  }

  /// The whole years from it to another day; nil without a year. Of a year alone the number is about right.
  public func years(until end: Day) -> Int? {
    let (year, month, day) = end.components
    switch self {
    case .day(let start):
      let (startYear, startMonth, startDay) = start.components
      return year - startYear - ((month, day) < (startMonth, startDay) ? 1 : 0)
    case .year(let start): return year - start
    case .yearless: return nil
    }
  }

  /// The next day of a year on which it returns, from a day on; nil without month and day. 29 February returns on 1 March in other years.
  public func next(from today: Day) -> Day? {
    let (month, day): (Int, Int)
    switch self {
    case .day(let whole): (month, day) = (whole.components.month, whole.components.day)
    case .yearless(let monthOfYear, let dayOfMonth): (month, day) = (monthOfYear, dayOfMonth)
    case .year: return nil
    }
    let year = today.components.year
    let now = Day(year: year, month: month, overflowing: day)
    return now < today ? Day(year: year + 1, month: month, overflowing: day) : now
  }
}
