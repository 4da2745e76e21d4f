/// A day of the calendar, wherever on earth.
struct CivilDay: Hashable, Comparable, Sendable {
  /// Days since 1 January 1970.
  let number: Int

  init(number: Int) { self.number = number }

  /// The day as it is written: `2026-11-21`.
  ///
  /// - Returns: Nil for another form and for a day that no calendar has.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3,
      zip(parts, [4, 2, 2]).allSatisfy({ $0.utf8.count == $1 && $0.utf8.allSatisfy(Self.isDigit) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
    else { return nil }
    // The year begins in March, so that the leap day is its last.
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.dividedDown(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    self.number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    guard day > 0, self.text == text else { return nil }
  }

  /// `2026-11-21`.
  var text: String {
    let (era, dayOfEra) = (self.number + 719_468).dividedDown(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = era * 400 + yearOfEra + (month < 10 ? 0 : 1)
    return "\(Digits.padded(year, to: 4))-\(Digits.padded(month < 10 ? month + 3 : month - 9))-\(Digits.padded(day))"
  }

  static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Numbers with zeros before them.
enum Digits {
  static func padded(_ number: Int, to width: Int = 2) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}

extension BinaryInteger {
  /// Quotient rounded down, and what is left, which is never negative.
  func dividedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
