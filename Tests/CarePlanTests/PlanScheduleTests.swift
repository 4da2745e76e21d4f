import Bus
import CivilTime
import Foundation
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import CarePlan

@Suite(.timeLimit(.minutes(10))) struct PlanScheduleTests {
  static let hour: Int64 = 3_600_000_000_000
  static let day: Int64 = 24 * hour

  /// An item that is due at times of day.
  static func item(_ times: String..., zone: String = "Europe/Berlin", from: String = "2026-01-01") -> PlanItem {
    var item = PlanItem()
    item.id = "item"
    item.name = "Aspirin"
    item.knownKind = .medicine
    item.amount = "1"
    item.knownState = .active
    item.from = from
    item.timeZone = zone
    item.times = times.enumerated().map { place, text in
      var time = PlanTime()
      time.time = text
      time.slot = UInt32(place + 1)
      return time
    }
    return item
  }

  static func schedule(_ versions: (at: Int64, item: PlanItem)...) -> PlanSchedule {
    PlanSchedule(versions: versions.map { PlanVersion($0.item, from: $0.at) })
  }

  /// The local times at which a schedule is due on a day.
  static func shown(_ schedule: PlanSchedule, _ day: String, zone: String = "Europe/Berlin") throws -> [String] {
    let (zone, day) = (try #require(Zone(named: zone)), try #require(Day(day)))
    return schedule.dues(from: zone.start(of: day), to: zone.start(of: day.adding(days: 1)))
      .map { zone.time(at: $0.instant).description }
  }

  static func instant(_ day: String, _ time: String, zone: String = "Europe/Berlin") throws -> Int64 {
    let (zone, day) = (try #require(Zone(named: zone)), try #require(Day(day)))
    let clock = try #require(TimeOfDay(time))
    return try #require(zone.instant(of: day, at: clock))
  }

  @Test func `in every zone each time of each day is due once, over all changes of its clock`() throws {
    let times = try ["00:00", "01:30", "02:30", "08:00", "23:59"].map { try #require(TimeOfDay($0)) }
    // Zones whose clocks run alike all the time are one case.
    let begin = Date(
      timeIntervalSince1970: Double(try Self.instant("2025-12-24", "00:00", zone: "UTC") / 1_000_000_000))
    let (first, last) = (try #require(Day("2026-01-01")), try #require(Day("2027-01-01")))
    let isWholeYear = testSize(short: 0, full: 1) == 1
    var clocks: [[Int]: (zone: Zone, spans: [Range<Day>])] = [:]
    for name in TimeZone.knownTimeZoneIdentifiers {
      guard let zone = Zone(named: name), let known = TimeZone(identifier: name) else { continue }
      var clock = [known.secondsFromGMT(for: begin)]
      var spans = [first..<(isWholeYear ? last : first.adding(days: 3))]
      var change = known.nextDaylightSavingTimeTransition(after: begin)
      while let instant = change, instant < begin + 375 * 86_400 {
        clock += [Int(instant.timeIntervalSince1970), known.secondsFromGMT(for: instant)]
        let day = zone.day(at: Int64(instant.timeIntervalSince1970) * 1_000_000_000)
        if !isWholeYear { spans.append(day.adding(days: -3)..<day.adding(days: 4)) }
        change = known.nextDaylightSavingTimeTransition(after: instant)
      }
      clocks[clock] = clocks[clock] ?? (zone, spans)
    }
    #expect(clocks.count > 50)
    for (zone, spans) in clocks.values {
      let item = Self.item("00:00", "01:30", "02:30", "08:00", "23:59", zone: zone.name, from: "2025-12-25")
      let schedule = Self.schedule((0, item))
      for span in spans {
        // In pieces of an odd length: no time may fall between two of them or into both.
        var (dues, start): ([Int64], Int64) = ([], zone.start(of: span.lowerBound))
        while start < zone.start(of: span.upperBound) {
          let end = min(start + 37 * Self.hour + 1, zone.start(of: span.upperBound))
          dues += schedule.dues(from: start, to: end).map(\.instant)
          start = end
        }
        var expected: Set<Int64> = []
        for number in span.lowerBound.number..<span.upperBound.number {
          for time in times {
            guard var instant = zone.instant(of: Day(number: number), at: time) else { continue }
            // Two times of a skip come one minute after the other.
            while expected.contains(instant) { instant += 60_000_000_000 }
            expected.insert(instant)
          }
        }
        #expect(
          dues.sorted() == expected.filter { $0 < zone.start(of: span.upperBound) }.sorted(), "\(zone.name) \(span)")
        #expect(Set(dues).count == dues.count)
      }
    }
  }

  @Test(arguments: [
    (1, 24), (2, 12), (3, 8), (4, 6), (6, 4), (8, 3), (12, 2), (24, 1),
  ])
  func `hours that divide a day come at the same times of each day`(hours: Int, count: Int) throws {
    var item = Self.item(zone: "Asia/Tokyo")
    item.everyHours = UInt32(hours)
    item.firstTime = "07:15"
    let shown = try Self.shown(Self.schedule((0, item)), "2026-11-25", zone: "Asia/Tokyo")
    #expect(shown.count == count && shown.contains("07:15"))
    #expect(try Self.shown(Self.schedule((0, item)), "2026-11-26", zone: "Asia/Tokyo") == shown)
  }

  @Test func `other hours are counted from the first time, and days from the first day`() throws {
    var item = Self.item(from: "2026-11-20")
    item.everyHours = 36
    item.firstTime = "08:00"
    let counted = Self.schedule((0, item))
    let days = try ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"].map {
      try Self.shown(counted, $0)
    }
    #expect(days == [[], ["08:00"], ["20:00"], [], ["08:00"]])
    item.everyHours = 48
    let second = Self.schedule((0, item))
    #expect(
      try ["2026-11-20", "2026-11-21", "2026-11-22"].map { try Self.shown(second, $0) } == [["08:00"], [], ["08:00"]])
  }

  /// An item of every some hours that comes at a time of day.
  static func hourly(_ hours: UInt32, _ first: String, zone: String = "Asia/Tokyo") -> PlanItem {
    var item = Self.item(zone: zone)
    (item.everyHours, item.firstTime) = (hours, first)
    return item
  }

  @Test(arguments: [
    // Eight is given, and the next one comes after about eight hours, whichever way the hours are moved.
    ("12:00", "08:00", "07:00", ["00:00", "08:00", "15:00", "23:00"]),
    ("07:30", "08:00", "07:00", ["00:00", "07:00", "15:00", "23:00"]),
    ("07:30", "07:00", "08:00", ["07:00", "16:00"]), ("12:00", "07:00", "08:00", ["07:00", "16:00"]),
    ("09:00", "08:00", "12:00", ["00:00", "08:00", "20:00"]), ("12:00", "08:00", "08:00", ["00:00", "08:00", "16:00"]),
  ])
  func `hours that are moved double and lose nothing`(at: String, from: String, to: String, due: [String]) throws {
    let change = try Self.instant("2026-11-25", at, zone: "Asia/Tokyo")
    let schedule = Self.schedule((0, Self.hourly(8, from)), (change, Self.hourly(8, to)))
    #expect(try Self.shown(schedule, "2026-11-25", zone: "Asia/Tokyo") == due)
    let (day, zone) = (try #require(Day("2026-11-25")), try #require(Zone(named: "Asia/Tokyo")))
    let start = zone.start(of: day)
    let names = schedule.dues(from: start - Self.day, to: start + 3 * Self.day).map(\.key)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: testSeeds(short: 60, full: 2000))
  func `hours that are moved, also to other zones, come after about as many hours`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let hours = [1, 2, 3, 4, 5, 6, 7, 8, 12, 36].randomElement(using: &random) ?? 8
    let step = Int64(hours) * Self.hour
    var at = try Self.instant("2026-05-25", "00:00")
    let start = at
    var versions = [PlanVersion(Self.hourly(UInt32(hours), "08:00"), from: start - 40 * Self.day)]
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      at += 3 * step + Int64.random(in: 0...(2 * Self.day), using: &random)
      let first =
        "\(Int.random(in: 0..<24, using: &random)):\(["00", "15", "30"].randomElement(using: &random) ?? "00")"
      let zone = ["Asia/Tokyo", "America/Phoenix", "Asia/Kolkata"].randomElement(using: &random) ?? "UTC"
      versions.append(PlanVersion(Self.hourly(UInt32(hours), first, zone: zone), from: at))
    }
    let schedule = PlanSchedule(versions: versions)
    let whole = schedule.dues(from: start, to: at + 20 * Self.day)
    for (one, next) in zip(whole, whole.dropFirst()) {
      #expect((step / 2...step * 3 / 2).contains(next.instant - one.instant), "seed \(seed)")
    }
    #expect(Set(whole.map(\.key)).count == whole.count, "seed \(seed)")
    var (pieces, from): ([PlanSchedule.Due], Int64) = ([], start)
    while from < at + 20 * Self.day {
      let to = min(at + 20 * Self.day, from + Int64.random(in: 1...(3 * Self.day), using: &random))
      pieces += schedule.dues(from: from, to: to)
      from = to
    }
    #expect(pieces == whole, "seed \(seed)")
  }

  @Test func `days of the week, and the first and the last day, bound it`() throws {
    var item = Self.item("08:00", from: "2026-11-24")
    item.until = "2026-12-04"
    item.times[0].weekdays = ["tue", "fri"]
    let schedule = Self.schedule((0, item))
    let due = (20...30).map { "2026-11-\($0)" } + (1...9).map { "2026-12-0\($0)" }
    #expect(
      try due.filter { try !Self.shown(schedule, $0).isEmpty } == [
        "2026-11-24", "2026-11-27", "2026-12-01", "2026-12-04",
      ])
  }

  @Test func `a change in the middle of a day doubles and loses nothing`() throws {
    let noon = try Self.instant("2026-11-25", "12:00")
    // What was due before the change stays; what was still to come moves, also into the past.
    let moved = Self.schedule((0, Self.item("08:00", "20:00")), (noon, Self.item("13:00", "11:00")))
    #expect(try Self.shown(moved, "2026-11-25") == ["08:00", "11:00"])
    #expect(try Self.shown(moved, "2026-11-26") == ["11:00", "13:00"])
    // A new time that has passed begins tomorrow, and what was taken away before its time does not come.
    let added = Self.schedule((0, Self.item("20:00")), (noon, Self.item("20:00", "09:00")))
    #expect(try Self.shown(added, "2026-11-25") == ["20:00"])
    #expect(try Self.shown(added, "2026-11-26") == ["09:00", "20:00"])
    var none = Self.item("08:00")
    let removed = Self.schedule((0, Self.item("08:00", "20:00")), (noon, none))
    #expect(try Self.shown(removed, "2026-11-25") == ["08:00"])
    // While it is paused nothing is due, and what would have been does not come later.
    none.knownState = .paused
    let paused = Self.schedule(
      (0, Self.item("08:00", "11:00", "20:00")), (try Self.instant("2026-11-25", "10:00"), none),
      (noon, Self.item("08:00", "11:00", "20:00")))
    #expect(try Self.shown(paused, "2026-11-25") == ["08:00", "20:00"])
  }

  @Test(arguments: [
    // As many as before: in their order. Else those that are nearest, and a new one is a new one.
    (["08:00", "20:00"], ["09:00", "21:00"], [1, 2]), (["08:00", "12:00"], ["11:00", "13:00"], [1, 2]),
    (["08:00", "12:00", "20:00"], ["13:00", "20:00"], [2, 3]), (["08:00", "12:00", "20:00"], ["07:30"], [1]),
    (["08:00", "20:00"], ["14:00", "19:00", "20:00"], [1, 3, 2]), (["08:00"], ["21:00", "07:00"], [2, 1]),
    (["08:00", "20:00"], ["20:00", "08:00"], [2, 1]),
  ])
  func `a time that moves is the one that it was moved from`(before: [String], after: [String], slots: [Int]) throws {
    func times(_ clocks: [String]) -> [PlanTime] { clocks.map { clock in PlanTime.with { $0.time = clock } } }
    var item = PlanItem()
    (item.name, item.kind) = ("Aspirin", "medicine")
    item.times = times(before)
    var first = PlanItem()
    try first.change([], as: item, used: 0, now: 0)
    #expect(first.times.map { Int($0.slot) } == Array(1...before.count))
    item.times = times(after)
    try first.change(["times"], as: item, used: UInt32(before.count), now: 0)
    #expect(first.times.map { Int($0.slot) } == slots)
  }

  @Test func `an item that is added at noon is due from then on`() throws {
    let schedule = Self.schedule((try Self.instant("2026-11-25", "12:00"), Self.item("08:00", "12:00", "20:00")))
    #expect(try Self.shown(schedule, "2026-11-25") == ["12:00", "20:00"])
  }

  @Test func `a journey doubles no time of a day`() throws {
    let noon = try Self.instant("2026-11-25", "12:00", zone: "Asia/Tokyo")
    // Eight in London comes nine hours after eight in Tokyo, which was due.
    let schedule = Self.schedule(
      (0, Self.item("08:00", zone: "Asia/Tokyo")), (noon, Self.item("08:00", zone: "Europe/London")))
    let dues = schedule.dues(from: noon - Self.day, to: noon + 3 * Self.day).map(\.instant)
    #expect(
      dues == [
        try Self.instant("2026-11-25", "08:00", zone: "Asia/Tokyo"),
        try Self.instant("2026-11-26", "08:00", zone: "Europe/London"),
        try Self.instant("2026-11-27", "08:00", zone: "Europe/London"),
      ])
  }

  @Test(arguments: testSeeds(short: 60, full: 2000))
  func `random changes double no time and lose none`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let zones = ["Europe/Berlin", "Asia/Tokyo", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"]
    let start = try Self.instant("2026-03-25", "00:00")
    var (at, item) = (start, Self.item("08:00", "12:00", "20:00", zone: zones.randomElement(using: &random) ?? "UTC"))
    var versions = [PlanVersion(item, from: start - 40 * Self.day)]
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      at += Int64.random(in: 0...(2 * Self.day), using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: item.knownState = item.knownState == .active ? .paused : .active
      case 1: item.timeZone = zones.randomElement(using: &random) ?? "UTC"
      default:
        let place = Int.random(in: 0..<3, using: &random)
        item.times[place].time =
          "\(Int.random(in: 0..<24, using: &random)):\(["00", "15", "30"][Int.random(in: 0..<3, using: &random)])"
      }
      versions.append(PlanVersion(item, from: at))
    }
    let schedule = PlanSchedule(versions: versions)
    let end = start + 40 * Self.day
    let whole = schedule.dues(from: start, to: end)
    var (pieces, from): ([Int64], Int64) = ([], start)
    while from < end {
      let to = min(end, from + Int64.random(in: 1...(3 * Self.day), using: &random))
      pieces += schedule.dues(from: from, to: to).map(\.instant)
      from = to
    }
    #expect(pieces == whole.map(\.instant), "seed \(seed)")
    #expect(Set(pieces).count == pieces.count, "seed \(seed)")
    // Of an item that was never paused and stayed in its zone, each day has each of its three times once.
    guard versions.allSatisfy({ $0.item.knownState == .active && $0.item.timeZone == versions[0].item.timeZone }) else {
      return
    }
    #expect((117...123).contains(whole.count), "seed \(seed): \(whole.count)")
  }
}
