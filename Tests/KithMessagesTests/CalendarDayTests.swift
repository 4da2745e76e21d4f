import Foundation
import KithMessages
import Testing

@Suite struct CalendarDayTests {
  @Test("a day is itself again, and its week begins on a Monday")
  func roundTrip() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for days in stride(from: -141_000, through: 150_000, by: 37) {
      let date = CalendarDay(daysSince1970: days)
      #expect(date.daysSince1970 == days)
      #expect(CalendarDay(date.text) == date)
      // Foundation's calendar turns to that of Julius before October 1582.
      let parts = calendar.dateComponents(
        [.year, .month, .day], from: Date(timeIntervalSince1970: Double(days) * 86_400 + 3600))
      #expect((parts.year, parts.month, parts.day) == (date.year, date.month, date.day))
      let weekday = calendar.component(
        .weekday, from: Date(timeIntervalSince1970: Double(date.monday.daysSince1970) * 86_400))
      #expect(weekday == 2 && (0..<7).contains(days - date.monday.daysSince1970))
    }
  }

  @Test(
    "what is no day is none",
    arguments: [
      "", "2025-02-29", "1900-02-29", "2025-13-01", "2025-00-10", "2025-04-31", "2025-4-01", "20250401",
      "2025-04-01T00:00", "+025-04-01", "0000-01-01", "２０２５-01-01", "2025-04-0a",
    ])
  func refused(_ text: String) { #expect(CalendarDay(text) == nil) }

  @Test(
    "days are counted from 1970",
    arguments: [
      ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2024-03-01", 19_783), ("1600-01-01", -135_140),
    ])
  func counting(_ text: String, _ days: Int) { #expect(CalendarDay(text)?.daysSince1970 == days) }

  @Test("days beyond the end of a month run into the next")
  func overflow() {
    #expect(CalendarDay(year: 2025, month: 9, overflowing: 31).text == "2025-10-01")
    #expect(CalendarDay(year: 2025, month: 2, overflowing: 29).text == "2025-03-01")
    #expect(CalendarDay(year: 2024, month: 2, overflowing: 29).text == "2024-02-29")
    #expect(CalendarDay(year: 2025, month: 14, overflowing: 31).text == "2026-03-03")
    #expect(CalendarDay(year: 2025, month: 0, overflowing: 1).text == "2024-12-01")
  }
}
