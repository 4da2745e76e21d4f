/// A day of the proleptic Gregorian calendar, without time and place.
///
/// It is stored as a number, so that comparing and counting days needs no calendar. For dates with missing parts see
/// `PartialDate` of a card and `SpecialDate` of a server.
public struct Day: Sendable, Hashable, Comparable {
  /// Days since 1970-01-01.
  public let number: Int

  /// Makes a day from the number of days since 1970-01-01.
  public init(number: Int) { self.number = number }

  /// Makes a day; nil if it does not exist, such as 31 February, or is not in the years 1 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    self.init(year: year, month: month, overflowing: day)
    guard self.components == (year, month, day) else { return nil }
  }

  /// Makes a day from a day of a month, which may run into later months.
  ///
  /// The 31st day of September is 1 October, 29 February of 2025 is 1 March, and the 14th month of a year is its next
  /// February.
  public init(year: Int, month: Int, overflowing day: Int) {
    // Years that begin in March make the leap day the last day of a year.
    let (years, monthFromMarch) = (12 * year + month - 3).dividedDown(by: 12)
    let (era, yearOfEra) = years.dividedDown(by: 400)
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    self.number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Parses `YYYY-MM-DD`; nil for any other text.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.count == 10 else { return nil }
    var number = 0
    for (index, byte) in Array(text.utf8).enumerated() {
      let isHyphen = byte == UInt8(ascii: "-")
      guard isHyphen == (index == 4 || index == 7), isHyphen || (48...57).contains(byte) else { return nil }
      if !isHyphen { number = number * 10 + Int(byte - 48) }
    }
    self.init(year: number / 10_000, month: number / 100 % 100, day: number % 100)
  }

  /// Year, month (1-12) and day of the month.
  public var components: (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = (self.number + 719_468).dividedDown(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch + (monthFromMarch < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// 0 = Monday ... 6 = Sunday.
  public var weekday: Int { (self.number + 3).dividedDown(by: 7).remainder }

  /// The Monday of its week.
  public var monday: Day { self.adding(days: -self.weekday) }

  /// The day a number of days later.
  public func adding(days: Int) -> Day { Day(number: self.number + days) }

  /// Its start in UTC, in nanoseconds since 1970; clamped before 1678 and after 2262.
  public var nanosecondsSince1970: Int64 { (self.number * Self.seconds).nanoseconds }

  /// By time.
  public static func < (left: Day, right: Day) -> Bool { left.number < right.number }

  /// The seconds of a day without a clock change.
  package static let seconds = 86_400
}

extension Day: CustomStringConvertible {
  /// `YYYY-MM-DD`.
  public var description: String {
    let (year, month, day) = self.components
    return "\(year.padded(to: 4))-\(month.padded())-\(day.padded())"
  }
}

extension Int {
  /// The quotient rounded down, and the remainder, which is never negative. The divisor is positive.
  package func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The number with leading zeros: two digits, or `width`.
  package func padded(to width: Int = 2) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }

  /// The number of seconds in nanoseconds; clamped.
  var nanoseconds: Int64 {
    let (product, isTooMuch) = Int64(self).multipliedReportingOverflow(by: 1_000_000_000)
    return isTooMuch ? (self < 0 ? .min : .max) : product
  }
}
