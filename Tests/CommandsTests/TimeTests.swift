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
    "Times in the words of both languages",
    arguments: [
      ("14:30", "2026-11-21T13:30:00Z"), ("8pm", "2026-11-21T19:00:00Z"), ("8:05 PM", "2026-11-21T19:05:00Z"),
      ("12am", "2026-11-20T23:00:00Z"), ("noon", "2026-11-21T11:00:00Z"), ("tomorrow 9:00", "2026-11-22T08:00:00Z"),
      ("tomorrow at 8pm", "2026-11-22T19:00:00Z"), ("8pm yesterday", "2026-11-20T19:00:00Z"),
      ("last monday 9:00", "2026-11-16T08:00:00Z"), ("in 2 hours", "2026-11-21T10:15:00Z"),
      ("今", "2026-11-21T08:15:00Z"), ("10分前", "2026-11-21T08:05:00Z"), ("2時間後", "2026-11-21T10:15:00Z"),
      ("昨日9時", "2026-11-20T08:00:00Z"), ("昨日 9:00", "2026-11-20T08:00:00Z"), ("昨日の午後8時半", "2026-11-20T19:30:00Z"),
      ("１４：３０", "2026-11-21T13:30:00Z"), ("先週の金曜日 10:00", "2026-11-13T09:00:00Z"),
      ("11月20日14時5分", "2026-11-20T13:05:00Z"), ("3日前", "2026-11-18T08:15:00Z"),
    ])
  func words(text: String, moment: String) throws {
    let time = try TimeText.point(text)
    #expect(try time.start(now: CommandRun.now, in: self.zone("Europe/Berlin")) == self.stamp(moment))
  }

  @Test(
    "Days in the words of both languages; 21 November 2026 is a Saturday",
    arguments: [
      ("2026-11-20", "2026-11-20", "2026-11-20"), ("2026/11/20", "2026-11-20", "2026-11-20"),
      ("2026年11月20日", "2026-11-20", "2026-11-20"), ("11月20日", "2026-11-20", "2027-11-20"),
      ("24 december", "2025-12-24", "2026-12-24"), ("dec 24", "2025-12-24", "2026-12-24"),
      ("今日", "2026-11-21", "2026-11-21"), ("おととい", "2026-11-19", "2026-11-19"),
      ("the day after tomorrow", "2026-11-23", "2026-11-23"), ("in 3 days", "2026-11-24", "2026-11-24"),
      ("2週間後", "2026-12-05", "2026-12-05"), ("in 1 month", "2026-12-21", "2026-12-21"),
      ("1年前", "2025-11-21", "2025-11-21"), ("saturday", "2026-11-21", "2026-11-21"),
      ("monday", "2026-11-16", "2026-11-23"), ("月曜", "2026-11-16", "2026-11-23"),
      ("next saturday", "2026-11-28", "2026-11-28"), ("last saturday", "2026-11-14", "2026-11-14"),
      ("来週月曜", "2026-11-23", "2026-11-23"), ("monday last week", "2026-11-09", "2026-11-09"),
      ("今週の日曜日", "2026-11-22", "2026-11-22"),
    ])
  func days(text: String, past: String, future: String) throws {
    let (day, today) = (try #require(DayText(text)), try #require(Day("2026-11-21")))
    #expect(day.isOneDay)
    #expect(day.days(today: today, .past).lowerBound.description == past)
    #expect(day.days(today: today, .future).upperBound.description == future)
  }

  @Test(
    "Weeks begin on Monday, and months are whole",
    arguments: [
      ("last week", "2026-11-09", "2026-11-15"), ("先週", "2026-11-09", "2026-11-15"),
      ("this week", "2026-11-16", "2026-11-22"), ("来週", "2026-11-23", "2026-11-29"),
      ("last month", "2026-10-01", "2026-10-31"), ("今月", "2026-11-01", "2026-11-30"),
      ("next month", "2026-12-01", "2026-12-31"),
    ])
  func ranges(text: String, first: String, last: String) throws {
    let (day, today) = (try #require(DayText(text)), try #require(Day("2026-11-21")))
    #expect(!day.isOneDay)
    #expect(day.days(today: today).lowerBound.description == first)
    #expect(day.days(today: today).upperBound.description == last)
    #expect(DayArgument(argument: text) == nil)
  }

  @Test("The last day of a month is that of a shorter one")
  func shorterMonth() throws {
    let today = try #require(Day("2027-01-31"))
    #expect(DayText("in 1 month")?.days(today: today).lowerBound.description == "2027-02-28")
    #expect(DayText("2 months ago")?.days(today: today).lowerBound.description == "2026-11-30")
  }

  @Test(
    "What is none of these is refused",
    arguments: [
      "", "soon", "2026-11-20 25:00", "13pm", "0pm", "32 nov", "last week 9:00", "in", "in days", "月", "25時",
      "2026-11-20 9:60", "2026-11-20 9", "2026-11-20T14:30",
      "-5 min ago", "9999999 min ago", "today 9:00 sharp", "2026-02-30 9:00",
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
    #expect(Language.english.relative(try #require(Day(day)), today: today) == words)
  }
}
