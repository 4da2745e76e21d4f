import CivilTime
import Foundation
import TestKit
import Testing

@Suite struct ZoneTests {
  struct Row: CustomTestStringConvertible {
    let zone: String
    let date: String
    let time: String
    let wanted: String?
    var testDescription: String { "\(self.zone) \(self.date) \(self.time)" }

    init(_ zone: String, _ date: String, _ time: String, _ wanted: String?) {
      self.zone = zone
      self.date = date
      self.time = time
      self.wanted = wanted
    }
  }

  /// Gaps and overlaps of an hour, of half an hour and of two, at midnight and across it, and a day that was left out.
  static let rows = [
    Row("Asia/Tokyo", "2026-11-20", "21:00", "2026-11-20T12:00:00Z"),
    Row("America/New_York", "2026-03-08", "02:30", "2026-03-08T07:00:00Z"),
    Row("America/New_York", "2026-03-09", "02:30", "2026-03-09T06:30:00Z"),
    Row("America/New_York", "2026-11-01", "01:30", "2026-11-01T05:30:00Z"),
    Row("America/New_York", "2026-11-02", "01:30", "2026-11-02T06:30:00Z"),
    Row("Europe/London", "2026-03-29", "01:30", "2026-03-29T01:00:00Z"),
    Row("Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30:00Z"),
    Row("Africa/Cairo", "2026-04-24", "00:00", "2026-04-23T22:00:00Z"),
    Row("America/Santiago", "2026-09-06", "00:00", "2026-09-06T04:00:00Z"),
    Row("America/Havana", "2026-11-01", "00:30", "2026-11-01T04:30:00Z"),
    Row("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:30:00Z"),
    Row("Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00Z"),
    Row("Antarctica/Troll", "2026-03-29", "02:30", "2026-03-29T01:00:00Z"),
    Row("Pacific/Chatham", "2026-09-27", "03:00", "2026-09-26T14:00:00Z"),
    Row("America/Nuuk", "2026-03-28", "23:30", "2026-03-29T01:00:00Z"),
    Row("America/Nuuk", "2026-03-29", "23:30", "2026-03-30T00:30:00Z"),
    Row("Pacific/Apia", "2011-12-29", "09:00", "2011-12-29T19:00:00Z"),
    Row("Pacific/Apia", "2011-12-30", "09:00", nil),
    Row("Pacific/Apia", "2011-12-31", "09:00", "2011-12-30T19:00:00Z"),
    Row("Africa/Casablanca", "2026-02-15", "02:30", "2026-02-15T01:30:00Z"),
    Row("Africa/Casablanca", "2026-03-22", "02:30", "2026-03-22T02:00:00Z"),
  ]

  @Test(arguments: rows) func findsTheInstant(row: Row) throws {
    let zone = try #require(Zone(named: row.zone))
    let date = try #require(Day(row.date))
    let time = try #require(TimeOfDay(row.time))
    let instant = zone.instant(of: date, at: time)
    #expect(instant.map { Date(timeIntervalSince1970: Double($0 / 1_000_000_000)).formatted(.iso8601) } == row.wanted)
  }

  /// Every zone, at times around each of its changes in 2026 and 2027, against a walk over the minutes of three days.
  @Test func agreesWithAWalkOverTheMinutes() throws {
    var seed = SeededGenerator(seed: 11)
    var cases = 0
    for name in TimeZone.knownTimeZoneIdentifiers where Zone(named: name) != nil {
      let zone = try #require(Zone(named: name))
      for date in Self.changes(of: name) {
        for _ in 0..<2 {
          let time = try #require(
            TimeOfDay(hour: Int.random(in: 0...4, using: &seed), minute: 5 * Int.random(in: 0...11, using: &seed)))
          let walk = Self.walk(name, date, time)
          #expect(zone.instant(of: date, at: time) == walk.first, "\(name) \(date) \(time)")
          let second = time.hour * 3600 + time.minute * 60
          #expect(zone.instants(of: date, second: second) == walk.showing, "\(name) \(date) \(time)")
          cases += 1
        }
      }
    }
    #expect(cases > 1000)
  }

  @Test(
    "a second of a day is shown once, not at all, or twice",
    arguments: [
      ("Europe/Berlin", "2026-11-20", 52_215, ["2026-11-20T13:30:15Z"]), ("Europe/Berlin", "2026-03-29", 7200, []),
      ("Europe/Berlin", "2026-03-29", 10_799, []), ("Europe/Berlin", "2026-03-29", 10_800, ["2026-03-29T01:00:00Z"]),
      ("Europe/Berlin", "2026-10-25", 9000, ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]),
      ("Pacific/Apia", "2011-12-30", 32_400, []),
    ])
  func showsASecond(zone: String, day: String, second: Int, wanted: [String]) throws {
    let found = try #require(Zone(named: zone)).instants(of: try #require(Day(day)), second: second)
    #expect(found.map { Date(timeIntervalSince1970: Double($0 / 1_000_000_000)).formatted(.iso8601) } == wanted)
  }

  @Test("a day whose midnight is skipped begins when the clocks change")
  func skippedMidnight() throws {
    let zone = try #require(Zone(named: "Asia/Beirut"))
    let start = zone.start(of: try #require(Day("2026-03-29")))
    #expect(zone.local(at: start) == (try #require(Day("2026-03-29")), try #require(TimeOfDay("01:00"))))
    #expect(zone.time(at: start - 1).description == "23:59")
  }

  @Test("days beyond what nanoseconds can tell are at the end of what they can", arguments: ["UTC", "Asia/Tokyo"])
  func farDays(name: String) throws {
    let zone = try #require(Zone(named: name))
    let first = try #require(Day("0001-01-01"))
    let last = try #require(Day("9999-12-31"))
    #expect(zone.start(of: first) == .min && zone.start(of: last.adding(days: 1)) == .max)
    let noon = try #require(TimeOfDay("12:00"))
    #expect(zone.instant(of: first, at: noon) == .min && zone.instant(of: last, at: noon) == .max)
    #expect(zone.day(at: .min).description.hasPrefix("1677-09-2"))
    #expect(zone.day(at: .max).description.hasPrefix("2262-04-1"))
  }

  @Test("names without a region are taken, and abbreviations are not")
  func namesOfZones() {
    for name in ["Japan", "Singapore", "UTC", "GMT", "Etc/UTC"] { #expect(Zone(named: name) != nil, "\(name)") }
    for name in ["EST", "JST", "CET", "GMT+3", "Nowhere", "", "../etc/passwd"] {
      #expect(Zone(named: name) == nil, "\(name)")
    }
  }

  @Test func showsWhatClocksShow() throws {
    let tokyo = try #require(Zone(named: "Asia/Tokyo"))
    let instant: Int64 = 1_795_186_800_000_000_000 - 1
    #expect(tokyo.day(at: instant).description == "2026-11-20")
    #expect(tokyo.time(at: instant).description == "23:59")
    #expect(tokyo.day(at: instant + 1).description == "2026-11-21")
    #expect(tokyo.time(at: -1).description == "08:59")
    #expect(tokyo.offset(at: 0) == 32_400)
  }

  @Test(arguments: ["", "EST", "GMT+9", "Mars/Olympus", "+09:00"]) func refusesWhatIsNoZone(name: String) {
    #expect(Zone(named: name) == nil)
  }

  /// The days of 2026 and 2027 whose noons do not have the same offset as the noons before them.
  private static func changes(of name: String) -> [Day] {
    guard let zone = TimeZone(identifier: name), let first = Day(year: 2026, month: 1, day: 1) else { return [] }
    return (0..<730).map { first.adding(days: $0) }.filter {
      let noon = Date(timeIntervalSince1970: Double($0.number * 86_400 + 43_200))
      return zone.secondsFromGMT(for: noon) != zone.secondsFromGMT(for: noon - 86_400)
    }
  }

  /// Of the minutes of three days the first whose local clock has come to the time of the date, nil where the date is never
  /// shown; and those that show it.
  private static func walk(_ name: String, _ date: Day, _ time: TimeOfDay) -> (first: Int64?, showing: [Int64]) {
    guard let zone = TimeZone(identifier: name) else { return (nil, []) }
    let wall = date.number * 86_400 + time.hour * 3600 + time.minute * 60
    let locals = stride(from: wall - 129_600, through: wall + 129_600, by: 60).map {
      (second: $0, local: $0 + zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))))
    }
    let showing = locals.filter { $0.local == wall }.map { Int64($0.second) * 1_000_000_000 }
    guard locals.contains(where: { $0.local / 86_400 == date.number }) else { return (nil, showing) }
    return (locals.first { $0.local >= wall }.map { Int64($0.second) * 1_000_000_000 }, showing)
  }

  @Test(arguments: [
    ("Asia/Tokyo", "2026-11-20T12:00:05Z", "Fri, 20 Nov 2026 21:00:05 +0900"),
    ("America/St_Johns", "2026-01-01T00:00:00Z", "Wed, 31 Dec 2025 20:30:00 -0330"),
    ("UTC", "2026-02-01T23:59:59Z", "Sun, 1 Feb 2026 23:59:59 +0000"),
  ])
  func `mail has days of its own form`(_ zone: String, _ instant: String, _ wanted: String) throws {
    let seconds = try #require(ISO8601DateFormatter().date(from: instant)).timeIntervalSince1970
    #expect(try #require(Zone(named: zone)).mailDate(at: Int64(seconds) * 1_000_000_000) == wanted)
  }
}
