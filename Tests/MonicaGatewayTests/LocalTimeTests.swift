import Bus
import KithMessages
import Testing

@testable import MonicaGateway

@Suite struct LocalTimeTests {
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
    // What machines are set to whose zone has no region, or that have none.
    for name in ["GMT", "Japan"] { #expect(try LocalTime(zone: name).name == name) }
    for name in ["Mars/Phobos", "PST", "Tokyo", "GMT+3", "../etc/passwd"] {
      #expect(throws: Failure.self) { try LocalTime(zone: name) }
    }
  }
}
