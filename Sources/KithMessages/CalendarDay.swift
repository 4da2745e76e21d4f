/// A day of the Gregorian calendar, without a time and a place.
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// In the calendar's counting.
  public let year: Int
  /// 1 to 12.
  public let month: Int
  /// 1 to 31.
  public let day: Int

  /// The day of a number of days since 1 January 1970.
  ///
  /// Counted in eras of 400 years from 1 March, so that a leap day is the last of its year.
  public init(daysSince1970 days: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    self.day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    self.month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
  }

  /// The day that is so many days into a month; the months after it where there are more than it has.
  ///
  /// The server counts so: the 31st day of September is 1 October, 29 February of 2025 is 1 March.
  public init(year: Int, month: Int, overflowing day: Int) {
    let months = year * 12 + month - 1
    let (year, index) = months >= 0 ? (months / 12, months % 12) : ((months - 11) / 12, (months % 12 + 12) % 12)
    self.init(daysSince1970: Self.days(toYear: year, month: index + 1) + day - 1)
  }

  /// Reads YYYY-MM-DD; nil for any other text, and for a day that there is not.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      year > 0, (1...12).contains(month), (1...Self.days(inMonth: month, of: year)).contains(day)
    else { return nil }
    self.init(year: year, month: month, overflowing: day)
  }

  /// Days since 1 January 1970.
  public var daysSince1970: Int { Self.days(toYear: self.year, month: self.month) + self.day - 1 }

  /// Its beginning in UTC, in nanoseconds since 1970; the nearest that can be told.
  public var nanosecondsSince1970: Int64 {
    let (product, overflow) = Int64(self.daysSince1970).multipliedReportingOverflow(by: 86_400_000_000_000)
    return overflow ? (self.year < 1970 ? .min : .max) : product
  }

  /// The Monday of its week.
  public var monday: CalendarDay { CalendarDay(daysSince1970: self.daysSince1970 - self.weekday) }

  /// 0 = Monday to 6 = Sunday. 1 January 1970 was a Thursday.
  public var weekday: Int { ((self.daysSince1970 + 3) % 7 + 7) % 7 }

  /// As YYYY-MM-DD.
  public var text: String {
    "\(Self.padded(self.year, to: 4))-\(Self.padded(self.month, to: 2))-\(Self.padded(self.day, to: 2))"
  }

  /// The earlier one is the lesser.
  public static func < (left: CalendarDay, right: CalendarDay) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  /// How many days a month of a year has.
  public static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func days(toYear year: Int, month: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
