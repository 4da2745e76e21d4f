/// A day of the Gregorian calendar, as records write it: `YYYY-MM-DD`.
struct CalendarDay: Equatable {
  /// Days since 1970-01-01.
  let number: Int64

  /// Reads a day; nil for any other text and for days that no calendar has.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], let year = Self.number(parts[0]), let month = Self.number(parts[1]),
      let day = Self.number(parts[2]), (1...12).contains(month), day >= 1, day <= Self.length(of: month, in: year)
    else { return nil }
    // Days from civil: years begin in March, so that the leap day is the last (Howard Hinnant,
    // https://howardhinnant.github.io/date_algorithms.html#days_from_civil).
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    self.number = era * 146_097 + dayOfEra - 719_468
  }

  /// Its beginning in UTC, nanoseconds since 1970; the nearest that can be told.
  var nanoseconds: Int64 {
    let (product, overflow) = self.number.multipliedReportingOverflow(by: 86_400_000_000_000)
    return overflow ? (self.number < 0 ? .min : .max) : product
  }

  private static func number(_ digits: Substring.UTF8View.SubSequence) -> Int64? {
    digits.allSatisfy { (0x30...0x39).contains($0) } ? Int64(Substring(digits)) : nil
  }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
