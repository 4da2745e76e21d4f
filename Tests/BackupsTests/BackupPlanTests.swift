import Bus
import CivilTime
import KithMessages
import Testing

@testable import Backups

@Suite("When backups are due, and which ones stay")
struct BackupPlanTests {
  private let zone: Zone
  private let plan = BackupPlan(folder: "/srv/backup")

  init() throws { self.zone = try #require(Zone(named: "Europe/Berlin")) }

  private func moment(_ day: String, _ time: String) throws -> Int64 {
    let (day, time) = (try #require(Day(day)), try #require(TimeOfDay(time)))
    return try #require(self.zone.instant(of: day, at: time))
  }

  private func backup(_ at: Int64, _ state: BackupOutcome = .good) -> MadeBackup {
    var backup = MadeBackup()
    backup.name = "kith-\(at).tar"
    backup.made = .init(nanosecondsSince1970: at)
    backup.knownState = state
    return backup
  }

  @Test func `the first one is due at once`() throws {
    let now = try self.moment("2026-11-25", "12:00")
    #expect(self.plan.next(after: [], now: now, in: self.zone) == (try self.moment("2026-11-25", "03:30")))
  }

  @Test func `after a good one the next comes the next day, over a change of the clock too`() throws {
    let made = try self.moment("2026-10-24", "03:31")
    let now = try self.moment("2026-10-24", "12:00")
    let next = self.plan.next(after: [self.backup(made)], now: now, in: self.zone)
    #expect(next == (try self.moment("2026-10-25", "03:30")))
  }

  @Test func `a day on which the machine was off gets its backup afterwards`() throws {
    let made = try self.moment("2026-11-23", "03:31")
    let now = try self.moment("2026-11-25", "12:00")
    #expect(self.plan.next(after: [self.backup(made)], now: now, in: self.zone) <= now)
  }

  @Test func `failed attempts are repeated after longer and longer waits`() throws {
    let hour: Int64 = 3_600_000_000_000
    let now = try self.moment("2026-11-25", "12:00")
    let good = self.backup(try self.moment("2026-11-24", "03:30"))
    let first = try self.moment("2026-11-25", "03:30")
    #expect(self.plan.next(after: [self.backup(first, .failed), good], now: now, in: self.zone) == first + hour)
    let second = first + hour
    let attempts = [self.backup(second, .failed), self.backup(first, .failed), good]
    #expect(self.plan.next(after: attempts, now: now, in: self.zone) == second + 2 * hour)
  }

  @Test func `one of a clock that was ahead does not count for days to come`() throws {
    let now = try self.moment("2026-11-25", "12:00")
    let ahead = self.backup(try self.moment("2027-11-25", "03:30"))
    #expect(self.plan.next(after: [ahead], now: now, in: self.zone) <= now)
  }

  @Test func `one of a clock that was ahead does not hide what fails`() throws {
    let hour: Int64 = 3_600_000_000_000
    let now = try self.moment("2026-11-25", "12:00")
    let ahead = self.backup(try self.moment("2027-11-25", "03:30"))
    #expect(self.plan.next(after: [ahead, self.backup(now, .failed)], now: now, in: self.zone) == now + hour)
  }

  @Test func `those of a clock that was ahead stay, and take no other's place`() throws {
    let now = try self.moment("2026-11-25", "12:00")
    var one = self.plan
    (one.keptDays, one.keptWeeks, one.keptMonths) = (1, 1, 1)
    let ahead = self.backup(try self.moment("2027-11-25", "03:30"))
    let (new, old) = (self.backup(now), self.backup(now - 1))
    #expect(one.surplus(of: [ahead, new, old], keeping: new.name, now: now, in: self.zone) == [old])
  }

  @Test func `the one that was just made stays under every clock`() throws {
    let now = try self.moment("2026-11-25", "12:00")
    let (new, newer) = (self.backup(now - 2), self.backup(now - 1))
    #expect(self.plan.surplus(of: [newer, new], keeping: new.name, now: now, in: self.zone).isEmpty)
    #expect(self.plan.surplus(of: [newer, new], keeping: "", now: now, in: self.zone) == [new])
  }

  @Test func `seven days, four weeks and twelve months stay`() throws {
    let newest = try #require(Day("2026-11-25"))
    let all = (0..<800).compactMap { self.zone.instant(of: newest.adding(days: -$0), at: self.plan.at) }.map {
      self.backup($0)
    }
    let gone = Set(self.plan.surplus(of: all, keeping: "", now: .max, in: self.zone).map(\.name))
    let kept = all.filter { !gone.contains($0.name) }.map { self.zone.day(at: $0.made.nanosecondsSince1970) }
    #expect(kept.prefix(7) == (0..<7).map { newest.adding(days: -$0) }[...])
    // The Sundays before, and the last day of each month before.
    #expect(
      kept.dropFirst(7).map(\.description) == [
        "2026-11-15", "2026-11-08", "2026-10-31", "2026-09-30", "2026-08-31", "2026-07-31", "2026-06-30", "2026-05-31",
        "2026-04-30",
        "2026-03-31", "2026-02-28", "2026-01-31", "2025-12-31",
      ])
  }

  @Test func `the newest good one stays whatever is asked for`() throws {
    var none = self.plan
    (none.keptDays, none.keptWeeks, none.keptMonths) = (0, 0, 0)
    let now = try self.moment("2026-11-25", "12:00")
    let all = [self.backup(now, .failed), self.backup(now - 1), self.backup(now - 2)]
    #expect(none.surplus(of: all, keeping: "", now: now, in: self.zone).map(\.name) == ["kith-\(now - 2).tar"])
  }
}
