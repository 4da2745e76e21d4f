import CivilTime
import Testing

@Suite struct LocalDateTests {
  @Test func countsDaysThroughFourCenturies() throws {
    var date = try #require(LocalDate(year: 1899, month: 12, day: 31))
    var (year, month, day) = (1899, 12, 31)
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    while year < 2300 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let length = month == 2 && isLeap ? 29 : lengths[month - 1]
      (year, month, day) =
        day < length ? (year, month, day + 1) : month < 12 ? (year, month + 1, 1) : (year + 1, 1, 1)
      date = date.adding(days: 1)
      try #require(date.components == (year, month, day))
      try #require(LocalDate(year: year, month: month, day: day) == date)
    }
  }

  @Test(arguments: [("2026-11-20", 4), ("1970-01-01", 3), ("1969-12-31", 2), ("2000-02-29", 1)])
  func readsAndWrites(text: String, weekday: Int) throws {
    let date = try #require(LocalDate(text))
    #expect(date.description == text)
    #expect(date.weekday == weekday)
  }

  @Test(arguments: ["", "2026-02-30", "2026-13-01", "2026-1-01", "20261120", "2026-11-2x", "0000-01-01", "2026-11-200"])
  func refusesWhatIsNoDay(text: String) { #expect(LocalDate(text) == nil) }

  @Test(arguments: [("09:05", "09:05"), ("9:05", "09:05"), ("23:59", "23:59")])
  func readsTimes(text: String, shown: String) throws { #expect(try #require(TimeOfDay(text)).description == shown) }

  @Test(arguments: ["", "24:00", "9", "9:5", "09:60", "-1:00", "09:05:00", "９:00"])
  func refusesWhatIsNoTime(text: String) { #expect(TimeOfDay(text) == nil) }
}
