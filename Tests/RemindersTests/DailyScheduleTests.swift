import CivilTime
import Foundation
import Reminders
import TestKit
import Testing

@Suite struct DailyScheduleTests {
  static func instant(_ text: String) throws -> Int64 {
    Int64(try Date(text, strategy: .iso8601).timeIntervalSince1970) * 1_000_000_000
  }

  static func schedule(
    _ time: String, lastDay: String, onlyIfNothingRecorded: Bool = false
  ) throws -> DailySchedule {
    DailySchedule(
      time: try #require(TimeOfDay(time)), catchUp: 6 * 3600 * 1_000_000_000,
      onlyIfNothingRecorded: onlyIfNothingRecorded, lastDay: try #require(Day(lastDay)))
  }

  let tokyo: Zone
  let newYork: Zone
  let day: Day

  init() throws {
    self.tokyo = try #require(Zone(named: "Asia/Tokyo"))
    self.newYork = try #require(Zone(named: "America/New_York"))
    self.day = try #require(Day("2026-11-20"))
  }

  @Test func comesAtItsTimeOnce() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2026-11-19")
    let due = try Self.instant("2026-11-20T12:00:00Z")
    #expect(schedule.next(in: self.tokyo) == due)
    #expect(schedule.advance(to: due - 1, in: self.tokyo) { _ in false } == [])
    #expect(schedule.advance(to: due, in: self.tokyo) { _ in false } == [.remind(day: self.day, isLate: false)])
    #expect(schedule.advance(to: due + 1, in: self.tokyo) { _ in false } == [])
    #expect(schedule.next(in: self.tokyo) == due + 86_400_000_000_000)
  }

  @Test func comesLateOnceWhenTheMachineWasOff() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2026-11-19")
    let now = try Self.instant("2026-11-20T13:10:00Z")
    #expect(schedule.advance(to: now, in: self.tokyo) { _ in false } == [.remind(day: self.day, isLate: true)])
    #expect(schedule.advance(to: now, in: self.tokyo) { _ in false } == [])
  }

  @Test func isMissedAfterMidnight() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2026-11-19")
    let now = try Self.instant("2026-11-21T00:00:00Z")
    #expect(schedule.advance(to: now, in: self.tokyo) { _ in false } == [.noteMissed(day: self.day)])
    #expect(try schedule.next(in: self.tokyo) == Self.instant("2026-11-21T12:00:00Z"))
  }

  @Test func isMissedAfterTheCatchUpWindow() throws {
    var schedule = try Self.schedule("08:00", lastDay: "2026-11-19")
    let end = try Self.instant("2026-11-20T05:00:00Z")
    var late = schedule
    #expect(late.advance(to: end, in: self.tokyo) { _ in false } == [.remind(day: self.day, isLate: true)])
    #expect(schedule.advance(to: end + 1, in: self.tokyo) { _ in false } == [.noteMissed(day: self.day)])
  }

  @Test func neverComesInABurst() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2025-01-01")
    let directives = schedule.advance(to: try Self.instant("2026-11-20T12:00:30Z"), in: self.tokyo) { _ in false }
    #expect(directives.last == .remind(day: self.day, isLate: false))
    #expect(directives.count == 31)
    #expect(directives.dropLast().allSatisfy { if case .noteMissed = $0 { true } else { false } })
  }

  @Test func isNotRepeatedWhenTheClockIsSetBack() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2026-11-19")
    let due = try Self.instant("2026-11-20T12:00:00Z")
    _ = schedule.advance(to: due + 300_000_000_000, in: self.tokyo) { _ in false }
    for minutes in stride(from: -5, through: 5, by: 1) as StrideThrough<Int64> {
      #expect(schedule.advance(to: due + minutes * 60_000_000_000, in: self.tokyo) { _ in false } == [])
    }
  }

  @Test func recoversFromAClockThatWasYearsAhead() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2030-01-01")
    let due = try Self.instant("2026-11-20T12:00:00Z")
    #expect(schedule.advance(to: due - 1, in: self.tokyo) { _ in false } == [])
    #expect(schedule.next(in: self.tokyo) == due)
  }

  @Test func comesTomorrowWhenItsNewTimeHasPassed() throws {
    let now = try Self.instant("2026-11-20T11:30:00Z")
    let changed = DailySchedule(
      time: try #require(TimeOfDay("20:00")), catchUp: 0, onlyIfNothingRecorded: false,
      now: now, zone: self.tokyo)
    #expect(try changed.next(in: self.tokyo) == Self.instant("2026-11-21T11:00:00Z"))
  }

  @Test func comesTodayWhenItsNewTimeIsToCome() throws {
    let now = try Self.instant("2026-11-20T11:30:00Z")
    let changed = DailySchedule(
      time: try #require(TimeOfDay("20:31")), catchUp: 0, onlyIfNothingRecorded: false,
      now: now, zone: self.tokyo)
    #expect(try changed.next(in: self.tokyo) == Self.instant("2026-11-20T11:31:00Z"))
  }

  @Test func comesAgainOnADayWhoseNewTimeIsToCome() throws {
    let now = try Self.instant("2026-11-20T11:30:00Z")
    let changed = DailySchedule(
      time: try #require(TimeOfDay("22:00")), catchUp: 0, onlyIfNothingRecorded: false, now: now,
      zone: self.tokyo)
    #expect(try changed.next(in: self.tokyo) == Self.instant("2026-11-20T13:00:00Z"))
  }

  @Test func goesAlongOnAJourney() throws {
    var unfired = try Self.schedule("21:00", lastDay: "2026-11-19")
    let moved = try Self.instant("2026-11-20T11:00:00Z")
    #expect(unfired.advance(to: moved, in: self.tokyo) { _ in false } == [])
    #expect(unfired.advance(to: moved, in: self.newYork) { _ in false } == [])
    #expect(try unfired.next(in: self.newYork) == Self.instant("2026-11-21T02:00:00Z"))
    var fired = try Self.schedule("21:00", lastDay: "2026-11-20")
    let arrived = try Self.instant("2026-11-21T03:00:00Z")
    #expect(fired.advance(to: arrived, in: self.tokyo) { _ in false } == [])
    #expect(try fired.next(in: self.tokyo) == Self.instant("2026-11-21T12:00:00Z"))
  }

  @Test func isSatisfiedByARecord() throws {
    var schedule = try Self.schedule("21:00", lastDay: "2026-11-19", onlyIfNothingRecorded: true)
    let due = try Self.instant("2026-11-20T12:00:00Z")
    let day = self.day
    #expect(schedule.advance(to: due, in: self.tokyo) { $0 == day } == [.noteSatisfied(day: day)])
    #expect(
      schedule.advance(to: due + 86_400_000_000_000, in: self.tokyo) { $0 == day }
        == [.remind(day: day.adding(days: 1), isLate: false)])
  }

  /// A gap that ends at midnight: the reminder comes at the end of the gap, and still belongs to its day.
  @Test func comesAfterAGapThatEndsAtMidnight() throws {
    let nuuk = try #require(Zone(named: "America/Nuuk"))
    var schedule = try Self.schedule("23:30", lastDay: "2026-03-27")
    let due = try Self.instant("2026-03-29T01:00:00Z")
    #expect(schedule.next(in: nuuk) == due)
    let day = try #require(Day("2026-03-28"))
    #expect(schedule.advance(to: due, in: nuuk) { _ in false } == [.remind(day: day, isLate: false)])
    #expect(try schedule.next(in: nuuk) == Self.instant("2026-03-30T00:30:00Z"))
  }

  @Test func leavesOutADayThatWasNot() throws {
    let apia = try #require(Zone(named: "Pacific/Apia"))
    var schedule = try Self.schedule("09:00", lastDay: "2011-12-29")
    let due = try Self.instant("2011-12-30T19:00:00Z")
    #expect(schedule.next(in: apia) == due)
    let day = try #require(Day("2011-12-31"))
    #expect(schedule.advance(to: due, in: apia) { _ in false } == [.remind(day: day, isLate: false)])
  }

  /// Whatever the clock does, no day is handled twice, and no day is forgotten on which the machine was awake.
  @Test func dealsWithEachDayOnce() throws {
    var random = SeededGenerator(seed: 5)
    let zones = try ["Asia/Tokyo", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"].map {
      try #require(Zone(named: $0))
    }
    for _ in 0..<200 {
      let zone = try #require(zones.randomElement(using: &random))
      var schedule = try Self.schedule("02:15", lastDay: "2026-03-01")
      var now = try Self.instant("2026-03-02T12:00:00Z")
      var seen: [Day] = []
      for _ in 0..<60 {
        now += Int64.random(in: -3600...50_000, using: &random) * 1_000_000_000
        for directive in schedule.advance(to: now, in: zone, hasRecorded: { _ in false }) {
          switch directive {
          case .remind(let day, _), .noteMissed(let day), .noteSatisfied(let day): seen.append(day)
          }
        }
      }
      let first = try #require(Day("2026-03-02"))
      #expect(seen == (0..<seen.count).map { first.adding(days: $0) })
    }
  }
}
