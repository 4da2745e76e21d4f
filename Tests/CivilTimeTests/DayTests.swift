import CivilTime
import Foundation
import Testing

@Suite struct DayTests {
  @Test func countsDaysThroughFourCenturies() throws {
    var date = try #require(Day(year: 1899, month: 12, day: 31))
    var (year, month, day) = (1899, 12, 31)
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    while year < 2300 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let length = month == 2 && isLeap ? 29 : lengths[month - 1]
      (year, month, day) =
        day < length ? (year, month, day + 1) : month < 12 ? (year, month + 1, 1) : (year + 1, 1, 1)
      date = date.adding(days: 1)
      try #require(date.components == (year, month, day))
      try #require(Day(year: year, month: month, day: day) == date)
    }
  }

  @Test("a day is itself again, and its week begins on a Monday")
  func roundTrip() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for number in stride(from: -719_162, through: 2_932_896, by: 373) {
      let day = Day(number: number)
      let (monday, (year, month, dayOfMonth)) = (day.monday, day.components)
      try #require(Day(day.description) == day)
      try #require(monday.weekday == 0 && (0..<7).contains(number - monday.number))
      // Foundation's calendar turns to that of Julius before October 1582.
      guard number > -141_000 else { continue }
      let noon = Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200)
      let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: noon)
      try #require((parts.year, parts.month, parts.day) == (year, month, dayOfMonth))
      try #require(parts.weekday == (day.weekday + 1) % 7 + 1)
    }
  }

  @Test(
    "days are counted from 1970",
    arguments: [
      ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2024-03-01", 19_783), ("1600-01-01", -135_140),
      ("0001-01-01", -719_162), ("9999-12-31", 2_932_896),
    ])
  func counting(_ text: String, _ number: Int) { #expect(Day(text)?.number == number) }

  @Test("days beyond the end of a month run into the next")
  func overflow() {
    #expect(Day(year: 2025, month: 9, overflowing: 31).description == "2025-10-01")
    #expect(Day(year: 2025, month: 2, overflowing: 29).description == "2025-03-01")
    #expect(Day(year: 2024, month: 2, overflowing: 29).description == "2024-02-29")
    #expect(Day(year: 2025, month: 14, overflowing: 31).description == "2026-03-03")
    #expect(Day(year: 2025, month: 0, overflowing: 1).description == "2024-12-01")
    #expect(Day(year: 2025, month: -12, overflowing: 1).description == "2023-12-01")
  }

  @Test("a day begins in UTC, as far as nanoseconds can tell")
  func beginning() throws {
    #expect(try #require(Day("2024-03-01")).nanosecondsSince1970 == 1_709_251_200_000_000_000)
    #expect(try #require(Day("0001-01-01")).nanosecondsSince1970 == .min)
    #expect(try #require(Day("9999-12-31")).nanosecondsSince1970 == .max)
  }

  @Test(arguments: [("2026-11-20", 4), ("1970-01-01", 3), ("1969-12-31", 2), ("2000-02-29", 1)])
  func readsAndWrites(text: String, weekday: Int) throws {
    let date = try #require(Day(text))
    #expect(date.description == text)
    #expect(date.weekday == weekday)
  }

  @Test(arguments: [
    "", "2026-02-30", "2025-02-29", "1900-02-29", "2025-04-31", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-01",
    "2026-1-1", "26-01-01", "20261120", "2026-11-2x", "2026-11-200", "2026-01-01x", "2026/01/01", "0000-01-01",
    "+025-04-01", "2025-04-01T00:00", "２０２５-01-01", "２6-11-20", "2026-11--1", "99999999999999999999",
  ])
  func refusesWhatIsNoDay(text: String) { #expect(Day(text) == nil) }

  @Test(arguments: [("09:05", "09:05"), ("9:05", "09:05"), ("23:59", "23:59")])
  func readsTimes(text: String, shown: String) throws { #expect(try #require(TimeOfDay(text)).description == shown) }

  @Test(arguments: ["", "24:00", "9", "9:5", "09:60", "-1:00", "09:05:00", "９:00"])
  func refusesWhatIsNoTime(text: String) { #expect(TimeOfDay(text) == nil) }
}
