/// A day of the Gregorian calendar.
struct CalendarDate: Equatable, Sendable {
  var year: Int64
  var month: Int64
  var day: Int64

  /// Takes a date that a calendar has; nil for others, such as 31 February.
  init?(year: Int64, month: Int64, day: Int64) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1 else { return nil }
    let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let longest: Int64 =
      switch month {
      case 2: isLeapYear ? 29 : 28
      case 4, 6, 9, 11: 30
      default: 31
      }
    guard day <= longest else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Reads `YYYY-MM-DD`.
  init?(_ text: some StringProtocol) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2], parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
      return nil
    }
    let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int64($1 & 15) } }
    self.init(year: numbers[0], month: numbers[1], day: numbers[2])
  }

  /// The day so many days after 1970-01-01. Counts eras of 400 years from a year that begins in March, so that a leap
  /// day is the last of its year.
  init(daysSince1970 days: Int64) {
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

  /// Days from 1970-01-01.
  var daysSince1970: Int64 {
    let shifted = self.month > 2 ? self.year : self.year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (self.month + (self.month > 2 ? -3 : 9)) + 2) / 5 + self.day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// `YYYY-MM-DD`.
  var text: String { "\(Self.digits(self.year, 4))-\(Self.digits(self.month, 2))-\(Self.digits(self.day, 2))" }

  /// A number with zeros before it.
  static func digits(_ number: Int64, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
