import CivilTime
import KithMessages
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import CarePlan

/// What was recorded for a time of an item that comes every some hours, after the item was changed.
@Suite(.timeLimit(.minutes(10))) struct HourGridTests {
  private static let day = "2026-11-25"

  /// The times of a day and whether a dose answers each, in Tokyo.
  private func answered(_ schedule: PlanSchedule, _ key: String) throws -> [String] {
    var dose = Dose()
    (dose.id, dose.timeKey, dose.knownOutcome) = ("dose", key, .given)
    let rules = DoseRules(item: try #require(schedule.versions.last).item, schedule: schedule, doses: [dose])
    let (zone, day) = (try #require(Zone(named: "Asia/Tokyo")), try #require(Day(Self.day)))
    return schedule.dues(from: zone.start(of: day), to: zone.start(of: day.adding(days: 1))).map {
      zone.time(at: $0.instant).description + (rules.answer(to: $0) == nil ? "" : " given")
    }
  }

  @Test(
    arguments: [
      // Nine is given early, and its hours are moved: whichever time it becomes is given, and no other one.
      (8, "09:00", "07:00", ["01:00", "07:00 given", "15:00", "23:00"]),
      (8, "09:00", "08:00", ["01:00", "08:00 given", "16:00"]),
      (8, "09:00", "11:00", ["01:00", "11:00 given", "19:00"]),
      (8, "09:00", "01:30", ["01:00", "09:30 given", "17:30"]),
      (10, "09:00", "08:30", ["08:30 given", "18:30"]), (6, "09:00", "12:00", ["03:00", "12:00 given", "18:00"]),
    ] as [(UInt32, String, String, [String])])
  func `what was given early stays given when its time moves`(
    hours: UInt32, from: String, to: String, due: [String]
  ) throws {
    let change = try PlanScheduleTests.instant(Self.day, "08:50", zone: "Asia/Tokyo")
    func item(_ first: String) -> PlanItem {
      var item = PlanScheduleTests.hourly(hours, first)
      item.from = Self.day
      return item
    }
    let before = PlanScheduleTests.schedule((0, item(from)))
    let given = try #require(before.dues(from: change, to: change + PlanScheduleTests.day).first)
    let after = PlanScheduleTests.schedule((0, item(from)), (change, item(to)))
    #expect(try self.answered(after, given.key) == due)
  }

  @Test(arguments: ["America/Phoenix", "Europe/London", "Asia/Kolkata"])
  func `what was given early stays given after a journey`(zone: String) throws {
    let change = try PlanScheduleTests.instant(Self.day, "08:50", zone: "Asia/Tokyo")
    let before = PlanScheduleTests.schedule((0, PlanScheduleTests.hourly(8, "09:00")))
    let given = try #require(before.dues(from: change, to: change + PlanScheduleTests.day).first)
    let after = PlanScheduleTests.schedule(
      (0, PlanScheduleTests.hourly(8, "09:00")), (change, PlanScheduleTests.hourly(8, "09:00", zone: zone)))
    let dues = after.dues(from: change - PlanScheduleTests.day, to: change + 3 * PlanScheduleTests.day)
    let same = dues.filter { $0.key == given.key }
    #expect(same.count == 1)
    #expect(try #require(same.first).instant - given.instant <= 4 * PlanScheduleTests.hour)
  }

  @Test(arguments: testSeeds(short: 40, full: 2000))
  func `a time keeps its name over all changes, and no name comes again`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let hours = [1, 2, 3, 4, 6, 8, 12, 5, 10, 36].randomElement(using: &random) ?? 8
    let step = Int64(hours) * PlanScheduleTests.hour
    let start = try PlanScheduleTests.instant("2026-05-25", "00:00")
    var (at, item) = (start, PlanScheduleTests.hourly(UInt32(hours), "08:00"))
    var versions = [PlanVersion(item, from: start - 40 * PlanScheduleTests.day)]
    for _ in 0..<Int.random(in: 1...14, using: &random) {
      at += Int64.random(in: 1...(2 * PlanScheduleTests.day), using: &random)
      let before = PlanSchedule(versions: versions)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: item.knownState = item.knownState == .active ? .paused : .active
      case 1: item.timeZone = ["Asia/Tokyo", "America/Phoenix", "Asia/Kolkata"].randomElement(using: &random) ?? "UTC"
      case 2: item.everyHours = item.everyHours == UInt32(hours) ? 7 : UInt32(hours)
      default:
        item.firstTime =
          "\(Int.random(in: 0..<24, using: &random)):\(["00", "15"].randomElement(using: &random) ?? "00")"
      }
      let last = try #require(versions.last).item
      versions.append(PlanVersion(item, from: at))
      guard item.knownState == .active, last.knownState == .active, item.everyHours == last.everyHours else { continue }
      // What was still to come is, after the change, the one time of its name, and near to it.
      let reach = 3 * max(step, 7 * PlanScheduleTests.hour)
      let coming = try #require(before.dues(from: at, to: at + reach).first, "seed \(seed)")
      let after = PlanSchedule(versions: versions).dues(from: at - reach, to: at + 2 * reach)
      let same = after.filter { $0.key == coming.key }
      #expect(same.count == 1, "seed \(seed)")
      let far = try #require(same.first, "seed \(seed)").instant - coming.instant
      #expect(far.magnitude <= (Int64(item.everyHours) * PlanScheduleTests.hour / 2).magnitude, "seed \(seed)")
    }
    let (schedule, end) = (PlanSchedule(versions: versions), at + 20 * PlanScheduleTests.day)
    let whole = schedule.dues(from: start, to: end)
    #expect(Set(whole.map(\.key)).count == whole.count, "seed \(seed)")
    var (pieces, from): ([PlanSchedule.Due], Int64) = ([], start)
    while from < end {
      let to = min(end, from + Int64.random(in: 1...(3 * PlanScheduleTests.day), using: &random))
      pieces += schedule.dues(from: from, to: to)
      from = to
    }
    #expect(pieces == whole, "seed \(seed)")
  }
}
