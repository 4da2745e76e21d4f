import CivilTime
import KithMessages
import SwiftProtobuf
import Testing

@testable import CarePlan

@Suite struct DoubleDoseTests {
  /// A dose that is recorded at once, with what it was warned of.
  private func dose(
    _ time: String, _ by: String, key: String = "", warned: (inout PlanWarning) -> Void = { _ in }
  ) throws -> Dose {
    var dose = try DoseRulesTests.dose(time, time, by: by)
    (dose.createdAt, dose.timeKey) = (dose.occurredAt, key)
    var warning = PlanWarning()
    warned(&warning)
    if !warning.kind.isEmpty { dose.warnings = [warning] }
    return dose
  }

  /// A warning that a dose came less than four hours after another one.
  private func early(_ other: Dose) -> (inout PlanWarning) -> Void {
    { warning in
      warning.knownKind = .early
      (warning.doseID, warning.at, warning.earliest) = (other.id, other.occurredAt, other.occurredAt)
      warning.earliest.seconds += 4 * 3600
    }
  }

  private func double(_ dose: Dose, _ others: [Dose]) throws -> DoubleDose? {
    DoubleDose(dose, among: others + [dose], in: try #require(Zone(named: "Europe/Berlin")))
  }

  private func kind(_ dose: Dose, _ others: Dose...) throws -> DoubleDose.Kind? { try self.double(dose, others)?.kind }

  /// Warns of two doses in a day, which have its most.
  private func most(_ warning: inout PlanWarning) { (warning.knownKind, warning.count, warning.most) = (.most, 2, 2) }

  @Test func `two people who gave it too soon after each other did not know it, unless one says so`() throws {
    let first = try self.dose("08:00", "Taro")
    var second = try self.dose("08:05", "Hanako", warned: self.early(first))
    #expect(try self.kind(second, first) == .tooSoon)
    #expect(try self.kind(first, second) == nil)
    // Taken back, given by one and the same, or long ago.
    #expect(try self.kind(second) == nil)
    #expect(try self.kind(self.dose("08:05", "Taro", warned: self.early(first)), first) == nil)
    #expect(try self.kind(self.dose("12:05", "Hanako", warned: self.early(first)), first) == nil)
    second.confirmed = true
    #expect(try self.kind(second, first) == nil)
  }

  @Test func `a dose is too soon also if the clock was ahead when the other one was recorded`() throws {
    var first = try self.dose("08:00", "Taro")
    first.createdAt.seconds += 3600
    let second = try self.dose("08:05", "Hanako", warned: self.early(first))
    #expect(try self.kind(second, first) == .tooSoon)
    #expect(try self.kind(first, second) == nil)
    // One that was warned itself.
    first = try self.dose("08:00", "Taro", warned: self.early(self.dose("07:00", "Hanako")))
    first.createdAt.seconds += 3600
    #expect(try self.kind(self.dose("08:05", "Hanako", warned: self.early(first)), first) == .tooSoon)
  }

  @Test func `of two doses for one time the one that was warned is the second, whatever the clock said`() throws {
    var first = try self.dose("08:00", "Taro", key: "1/2026-11-25")
    first.createdAt.seconds += 3600
    let second = try self.dose("08:05", "Hanako", key: "1/2026-11-25") { warning in
      (warning.knownKind, warning.doseID) = (.given, first.id)
    }
    #expect(try self.kind(second, first) == .again)
    #expect(try self.kind(first, second) == nil)
    #expect([second, first].inOrder() == [first, second])
  }

  @Test func `a dose is not too soon after one that was recorded later`() throws {
    // Of Hanako's own one of before; the least time is shorter by now.
    let own = try self.dose("07:00", "Hanako")
    let warned = try self.dose("08:05", "Hanako", warned: self.early(own))
    #expect(try self.kind(warned, own, self.dose("10:30", "Taro")) == nil)
  }

  @Test func `one too many in a day is told if another person gave one of them`() throws {
    let (one, two) = (try self.dose("08:00", "Taro"), try self.dose("12:00", "Hanako"))
    let third = try self.dose("16:00", "Hanako", warned: self.most)
    #expect(try self.kind(third, one, two) == .tooOften)
    #expect(try self.kind(third, two) == nil)
    #expect(try self.kind(third, self.dose("09:00", "Hanako"), two) == nil)
    // The clock was ahead when another person gave the first one.
    var ahead = one
    ahead.createdAt.seconds += 12 * 3600
    #expect(try self.kind(third, ahead, two) == .tooOften)
  }

  @Test func `a dose that was given when the most was higher does not make an earlier one too many`() throws {
    let (one, two) = (try self.dose("08:00", "Hanako"), try self.dose("10:00", "Hanako"))
    let third = try self.dose("12:00", "Hanako", warned: self.most)
    #expect(try self.kind(third, one, two, self.dose("16:00", "Taro")) == nil)
  }

  @Test func `the doses of a day are told in the order in which they were recorded, whichever of them had a warning`()
    throws
  {
    let first = try self.dose("08:00", "Taro")
    let second = try self.dose("10:00", "Hanako", warned: self.early(first))
    let third = try self.dose("13:00", "Hanako", warned: self.most)
    #expect(try self.double(third, [second, first])?.all == [first, second, third])
    // The clock was ahead at the first: only those that were warned of it are known to have come later.
    var ahead = first
    ahead.createdAt.seconds += 12 * 3600
    let warned = try self.dose("10:00", "Hanako", warned: self.early(ahead))
    #expect(try self.double(third, [ahead, warned])?.all == [ahead, warned, third])
    // The clock was set back before the last: the one of which it was warned comes after that of which this one was.
    let earlier = try self.dose("09:00", "Taro", warned: self.early(warned))
    #expect([earlier, warned, ahead].inOrder() == [ahead, warned, earlier])
  }

  @Test func `a second dose for one time is a double, also by the same person`() throws {
    let first = try self.dose("08:00", "Taro", key: "1/2026-11-25")
    let second = try self.dose("08:05", "Taro", key: "1/2026-11-25")
    #expect(try self.kind(second, first) == .again)
    #expect(try self.kind(first, second) == nil)
    #expect(try self.kind(second, self.dose("08:00", "Taro", key: "2/2026-11-25")) == nil)
  }
}
