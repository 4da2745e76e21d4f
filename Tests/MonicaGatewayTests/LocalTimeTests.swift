import Bus
import Foundation
import Testing

@testable import MonicaGateway

@Suite struct CalendarDayTests {
  @Test("every day of eight centuries is itself again, and its week begins on a Monday")
  func roundTrip() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    for days in stride(from: -150_000, through: 150_000, by: 37) {
      let date = CalendarDay(daysSince1970: days)
      #expect(date.daysSince1970 == days)
      #expect(CalendarDay(date.text) == date)
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

  @Test("days beyond the end of a month run into the next")
  func overflow() {
    #expect(CalendarDay(year: 2025, month: 9, overflowing: 31).text == "2025-10-01")
    #expect(CalendarDay(year: 2025, month: 2, overflowing: 29).text == "2025-03-01")
    #expect(CalendarDay(year: 2024, month: 2, overflowing: 29).text == "2024-02-29")
    #expect(CalendarDay(year: 2025, month: 14, overflowing: 31).text == "2026-03-03")
    #expect(CalendarDay(year: 2025, month: 0, overflowing: 1).text == "2024-12-01")
  }

  @Test("the wall clock of a zone, over a change to summer time and before 1970")
  func zones() throws {
    let berlin = try LocalTime(zone: "Europe/Berlin")
    // 30 March 2025, 00:59:59Z and 01:00:00Z.
    let change: Int64 = 1_743_296_400
    #expect(berlin.read((change - 1) * 1_000_000_000) == (try #require(CalendarDay("2025-03-30")), 119))
    #expect(berlin.read(change * 1_000_000_000) == (try #require(CalendarDay("2025-03-30")), 180))
    let tokyo = try LocalTime(zone: "Asia/Tokyo")
    #expect(tokyo.day(1_735_657_200_000_000_000).text == "2025-01-01")
    #expect(tokyo.day(1_735_657_199_999_999_999).text == "2024-12-31")
    #expect(try LocalTime(zone: "UTC").read(-1) == (try #require(CalendarDay("1969-12-31")), 1439))
    #expect(try LocalTime(zone: "").name.isEmpty == false)
    for name in ["Mars/Phobos", "PST", "Tokyo", "../etc/passwd"] {
      #expect(throws: Failure.self) { try LocalTime(zone: name) }
    }
  }
}
