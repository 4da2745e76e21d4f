import SwiftProtobuf
import TestKit
import Testing

@testable import MonicaAPI

struct ServerTimeTests {
  @Test(
    arguments: [
      ("2024-05-01T10:00:00Z", 1_714_557_600, 0), ("2024-05-01T10:00:00.000000Z", 1_714_557_600, 0),
      ("2024-05-01T10:00:00.25Z", 1_714_557_600, 250_000_000), ("2024-05-01 10:00:00", 1_714_557_600, 0),
      ("2024-05-01T12:00:00+02:00", 1_714_557_600, 0), ("2024-05-01T05:30:00-0430", 1_714_557_600, 0),
      ("2024-05-01 10:00:00 UTC", 1_714_557_600, 0), ("2024-05-01T10:00", 1_714_557_600, 0),
      ("1969-12-31", -86_400, 0), ("1970-01-01", 0, 0),
    ] as [(String, Int64, Int32)])
  func momentsAreRead(_ text: String, _ seconds: Int64, _ nanos: Int32) {
    #expect(ServerTime.stamp(text) == Google_Protobuf_Timestamp(seconds: seconds, nanos: nanos))
  }

  @Test(
    arguments: [
      "", "2024", "2024-02-30", "2024-13-01", "2024-05-01T", "2024-05-01T25:00:00Z", "2024-05-01T10:61:00Z",
      "2024-05-01T10:00:00X", "2024-05-01T10:00:00+2", "2024-05-01Z", "yesterday", "2024-05-01T10:00:00Zz",
      "0000-01-01", "２０24-05-01",
    ])
  func nothingElseIs(_ text: String) { #expect(ServerTime.stamp(text) == nil) }

  @Test func momentsAreWrittenInUTC() {
    #expect(ServerTime.text(.init(seconds: 1_714_557_600, nanos: 999_999_999)) == "2024-05-01T10:00:00Z")
    #expect(ServerTime.text(.init(seconds: -1)) == "1969-12-31T23:59:59Z")
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func momentsComeBack(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      // From the year 1000 to 2999.
      let stamp = Google_Protobuf_Timestamp(seconds: .random(in: -30_610_224_000..<32_503_680_000, using: &random))
      #expect(ServerTime.stamp(ServerTime.text(stamp)) == stamp)
    }
  }

  @Test func datesOfHTTPAreRead() {
    #expect(ServerTime.seconds(httpDate: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(ServerTime.seconds(httpDate: "Sunday, 06-Nov-94 08:49:37 GMT") == nil)
  }

  @Test(
    arguments: [
      ("1815-12-10", "1815-12-10"), ("--12-10", "--12-10"), ("--02-29", "--02-29"), ("~1950", "~1950"),
      ("1815-02-29", nil),
      ("--13-01", nil), ("~50", nil), ("", nil), ("1815", nil), ("~1950-01-01", nil),
    ] as [(String, String?)])
  func birthdays(_ text: String, _ expected: String?) { #expect(SpecialDate(text)?.text == expected) }

  @Test func birthdaysThatTheServerWouldMoveAreRefused() throws {
    #expect(try SpecialDate.reading("--02-29", field: "birthday", year: 2024) == .dayOfYear(month: 2, day: 29))
    #expect(throws: MonicaError.self) { try SpecialDate.reading("--02-29", field: "birthday", year: 2023) }
    #expect(throws: MonicaError.self) { try SpecialDate.reading("soon", field: "birthday", year: 2024) }
    #expect(try SpecialDate.reading("", field: "birthday", year: 2024) == nil)
  }
}
