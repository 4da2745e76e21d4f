/// A day of the calendar (proleptic Gregorian), without a time zone.
public struct LocalDate: Sendable, Hashable, Comparable {
  /// Days since 1970-01-01.
  public let dayNumber: Int

  /// Makes the day that is so many days after 1970-01-01.
  public init(dayNumber: Int) { self.dayNumber = dayNumber }

  /// Makes a day; nil when there is none of that name, such as 31 February.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    // Years that begin in March make the leap day the last day of a year.
    let shifted = year - (month <= 2 ? 1 : 0)
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    self.dayNumber = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    guard self.components == (year, month, day) else { return nil }
  }

  /// Reads `YYYY-MM-DD`; nil for any other text.
  public init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
    let digits = bytes.map { Int($0) - 48 }
    guard [0, 1, 2, 3, 5, 6, 8, 9].allSatisfy({ (0...9).contains(digits[$0]) }) else { return nil }
    self.init(
      year: digits[0] * 1000 + digits[1] * 100 + digits[2] * 10 + digits[3], month: digits[5] * 10 + digits[6],
      day: digits[8] * 10 + digits[9])
  }

  /// Year, month (1-12) and day of the month.
  public var components: (year: Int, month: Int, day: Int) {
    let shifted = self.dayNumber + 719_468
    let era = shifted.dividedDown(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch + (monthFromMarch < 10 ? 3 : -9)
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// 0 = Monday ... 6 = Sunday.
  public var weekday: Int { (self.dayNumber + 3).remainder(modulo: 7) }

  /// The day that is so many days later.
  public func adding(days: Int) -> LocalDate { LocalDate(dayNumber: self.dayNumber + days) }

  /// By time.
  public static func < (left: LocalDate, right: LocalDate) -> Bool { left.dayNumber < right.dayNumber }
}

extension LocalDate: CustomStringConvertible {
  /// `YYYY-MM-DD`.
  public var description: String {
    let (year, month, day) = self.components
    return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
  }
}

extension Int {
  func dividedDown(by divisor: Int) -> Int {
    let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  func remainder(modulo divisor: Int) -> Int { (self % divisor + divisor) % divisor }

  func padded(to width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
