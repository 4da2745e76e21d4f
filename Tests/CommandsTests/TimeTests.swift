import ArgumentParser
import Bus
import CivilTime
import SwiftProtobuf
import Testing

@testable import Commands

@Suite("Times as people type and read them")
struct TimeTests {
  private func zone(_ name: String) throws -> Zone { try #require(Zone(named: name)) }

  private func stamp(_ text: String) throws -> Google_Protobuf_Timestamp { try .init(jsonString: "\"\(text)\"") }

  @Test(
    "What is typed in Berlin at a quarter past nine on 21 November 2026",
    arguments: [
      ("2026-11-20T14:30:00+05:30", "2026-11-20T09:00:00Z"), ("2026-11-20T14:30:00Z", "2026-11-20T14:30:00Z"),
      ("2026-11-20 14:30", "2026-11-20T13:30:00Z"), ("2026-07-01 14:30:15", "2026-07-01T12:30:15Z"),
      ("today 14:30", "2026-11-21T13:30:00Z"), ("yesterday 9:05", "2026-11-20T08:05:00Z"),
      ("Today 0:00", "2026-11-20T23:00:00Z"),
      ("now", "2026-11-21T08:15:00Z"), ("10 min ago", "2026-11-21T08:05:00Z"), ("1 hour ago", "2026-11-21T07:15:00Z"),
      ("2 days ago", "2026-11-19T08:15:00Z"), ("3 weeks ago", "2026-10-31T08:15:00Z"),
    ])
  func typed(text: String, moment: String) throws {
    let time = try TimeText.point(text)
    #expect(try time.start(now: CommandRun.now, in: self.zone("Europe/Berlin")) == self.stamp(moment))
  }

  @Test(
    "What is none of these is refused",
    arguments: [
      "", "soon", "14:30", "tomorrow 9:00", "2026-11-20 25:00", "2026-11-20 9:60", "2026-11-20 9", "2026-11-20T14:30",
      "-5 min ago", "5 years ago", "9999999 min ago", "today 9:00 sharp", "2026-02-30 9:00",
    ])
  func refused(text: String) { #expect(throws: ValidationError.self) { try TimeText.pointOrDay(text) } }

  @Test("A day without a time is refused", arguments: ["2026-11-20", "today", "yesterday"])
  func dayAlone(text: String) {
    #expect(throws: ValidationError.self) { try TimeText.point(text) }
    #expect(throws: Never.self) { try TimeText.pointOrDay(text) }
  }

  @Test(
    "A day lasts from its first moment to the first of the next, however long it is",
    arguments: [("2026-03-29", 23), ("2026-10-25", 25), ("2026-11-20", 24)])
  func dayLength(text: String, hours: Int64) throws {
    let day = try TimeText.pointOrDay(text)
    let zone = try self.zone("Europe/Berlin")
    let start = try day.start(now: CommandRun.now, in: zone)
    #expect(zone.text(start) == "\(text) 00:00")
    #expect(try day.end(now: CommandRun.now, in: zone).seconds - start.seconds == hours * 3600)
  }

  @Test("A time that clocks skip is refused with the reason", arguments: ["2026-03-29 02:00", "2026-03-29 02:59"])
  func skipped(text: String) throws {
    let time = try TimeText.point(text)
    let zone = try self.zone("Europe/Berlin")
    let failure = #expect(throws: Failure.self) { try time.start(now: CommandRun.now, in: zone) }
    #expect(failure?.message.contains("Europe/Berlin are put forward") == true)
    #expect(throws: Never.self) { try TimeText.point("2026-03-29 03:00").start(now: CommandRun.now, in: zone) }
  }

  @Test("A time outside 1678 to 2262 is refused", arguments: ["1600-01-01 10:00", "2300-01-01 10:00"])
  func untold(text: String) throws {
    let time = try TimeText.point(text)
    let zone = try self.zone("Europe/Berlin")
    let failure = #expect(throws: Failure.self) { try time.start(now: CommandRun.now, in: zone) }
    #expect(failure?.message.contains("1678 to 2262") == true)
  }

  @Test("A time that clocks show twice is refused with both moments, each of which can be typed")
  func twice() throws {
    let zone = try self.zone("Europe/Berlin")
    let time = try TimeText.point("2026-10-25 02:30")
    let failure = #expect(throws: Failure.self) { try time.start(now: CommandRun.now, in: zone) }
    #expect(failure?.message.contains("2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00") == true)
    let moments = try ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"].map {
      try TimeText.point($0).start(now: CommandRun.now, in: zone).seconds
    }
    #expect(moments[1] - moments[0] == 3600)
  }

  @Test(
    "Zones behind UTC and with odd minutes",
    arguments: [
      ("America/St_Johns", "2026-11-21 04:45", "2026-11-21T04:45:00-03:30"),
      ("Asia/Kathmandu", "2026-11-21 14:00", "2026-11-21T14:00:00+05:45"),
      ("Pacific/Kiritimati", "2026-11-21 22:15", "2026-11-21T22:15:00+14:00"),
    ])
  func zones(name: String, text: String, stamp: String) throws {
    let zone = try self.zone(name)
    #expect(zone.text(CommandRun.now) == text)
    #expect(zone.stamp(CommandRun.now.nanosecondsSince1970) == stamp)
  }

  @Test(
    "Days are relative",
    arguments: [
      ("2026-11-21", "today"), ("2026-11-20", "yesterday"), ("2026-11-22", "tomorrow"), ("2026-11-18", "3 days ago"),
      ("2026-12-25", "in 1 month"), ("2020-11-21", "6 years ago"),
    ])
  func relative(day: String, words: String) throws {
    let today = try #require(Day("2026-11-21"))
    #expect(RelativeTime.words(try #require(Day(day)), today: today) == words)
  }
}
