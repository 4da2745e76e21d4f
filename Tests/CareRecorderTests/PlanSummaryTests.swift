import Bus
import CareRecorder
import CareTally
import CivilTime
import KithMessages
import SwiftProtobuf
import Testing

/// What the plan and measurements add to a summary.
struct PlanSummaryTests {
  private let day = Day(year: 2026, month: 11, overflowing: 1)

  private func summary(_ plan: PlanDay, _ measurements: [MeasurementRecord] = [], zone: String = "Asia/Tokyo") throws
    -> [String]
  {
    let summary = CareSummary(
      of: [], on: self.day, zone: try #require(Zone(named: zone)), language: .english, plan: plan,
      measurements: measurements)
    return summary.text.split(separator: "\n").map(String.init)
  }

  private func stamp(_ text: String) throws -> Google_Protobuf_Timestamp {
    try Google_Protobuf_Timestamp(jsonString: "\"\(text)\"")
  }

  private func due(_ time: String, _ state: DueState, _ edit: (inout PlanDue) throws -> Void = { _ in }) throws
    -> PlanDue
  {
    var due = PlanDue()
    due.item.id = "a"
    due.item.name = "Aspirin"
    due.item.unit = "tablet"
    due.amount = "1"
    due.due = try self.stamp("2026-11-01T\(time):00+09:00")
    due.knownState = state
    if [.given, .partly, .skipped].contains(state) {
      due.dose.outcome = state.rawValue
      due.dose.occurredAt = due.due
    }
    try edit(&due)
    return due
  }

  @Test func `A day without a plan and measurements has no section of them`() throws {
    var plan = PlanDay()
    #expect(try self.summary(plan) == self.summary(PlanDay()))
    // What is still to come says nothing yet.
    plan.dues = [try self.due("20:00", .coming)]
    #expect(try self.summary(plan) == self.summary(PlanDay()))
  }

  @Test func `Each outcome has its words, and texts of people stay on one line`() throws {
    var plan = PlanDay()
    plan.dues = [
      try self.due("08:00", .given) {
        $0.isLate = true
        $0.dose.recorder = "Taro"
        $0.dose.note = "with\nmilk"
        $0.dose.occurredAt = try self.stamp("2026-11-02T01:00:00+09:00")
        var double = Dose()
        double.occurredAt = try self.stamp("2026-11-01T09:00:00+09:00")
        $0.doubles = [double]
      },
      try self.due("10:00", .partly), try self.due("12:00", .skipped) { $0.dose.reason = "felt\u{202E} sick" },
      try self.due("14:00", .missed), try self.due("16:00", .due),
    ]
    let text = try self.summary(plan)
    let start = try #require(text.firstIndex(of: "Plan"))
    #expect(
      Array(text[(start + 1)...(start + 6)]) == [
        "08:00 Aspirin 1 tablet: given Mon 2 01:00 by Taro (memo: with milk) (late); again: given 09:00",
        "10:00 Aspirin 1 tablet: partly given 10:00", "12:00 Aspirin 1 tablet: skipped: felt sick",
        "14:00 Aspirin 1 tablet: missed", "16:00 Aspirin 1 tablet: not recorded yet",
        "Given 1 of 5 (1 late), partly 1, skipped 1, missed 1, not recorded yet 1, given again 1",
      ])
  }

  @Test func `A name that is written from right to left leaves the numbers behind it where they are`() throws {
    let plan = PlanDay.with {
      $0.others = [
        Dose.with { ($0.itemName, $0.amount, $0.unit, $0.outcome) = ("אספירין", "500", "mg", "given") }
      ]
    }
    #expect(try self.summary(plan).contains { $0.contains("\u{200E}אספירין\u{200E} 500 mg: given") })
  }

  @Test func `An hour that comes twice is told apart`() throws {
    let measurements = try ["2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z"].map { text in
      var one = MeasurementRecord()
      one.knownKind = .temperature
      one.value = "37"
      one.unit = "°C"
      one.occurredAt = try self.stamp(text)
      return one
    }
    let text = try self.summary(PlanDay(), measurements, zone: "America/New_York")
    #expect(text.contains("01:30(-0400) temperature: 37 °C") && text.contains("01:30(-0500) temperature: 37 °C"))
  }

  @Test func `A line names ten moments and counts the others`() throws {
    var days: [PlanDay] = []
    for hour in 0..<13 {
      var day = PlanDay()
      day.dues = [try self.due("\(hour < 10 ? "0" : "")\(hour):00", .missed)]
      days.append(day)
    }
    let phrases = CarePhrases(.english, in: try #require(Zone(named: "Asia/Tokyo")))
    let line = phrases.line(try #require(PlanTally.all(of: days).first))
    #expect(
      line.hasPrefix("Aspirin: given 0 of 13, missed 13 (Sun 1 00:00, ") && line.hasSuffix("Sun 1 09:00, 3 more)"))
  }

  @Test(arguments: [
    (["36.4", "37.25", "38"], "°C", "temperature: 36.4–38 °C, mean 37.2 (3 values)"),
    (["100.4", "98.6"], "°F", "temperature: 98.6–100.4 °F, mean 99.5 (2 values)"),
    (["36.6"], "°C", "temperature: 36.6 °C (1 value)"),
  ]) func `Values are counted in the unit in which all were entered`(values: [String], unit: String, line: String)
    throws
  {
    let records = values.map { value in
      MeasurementRecord.with { ($0.kind, $0.value, $0.unit) = ("temperature", value, unit) }
    }
    let phrases = CarePhrases(.english, in: try #require(Zone(named: "UTC")))
    #expect(MeasurementTally.all(of: records).map(phrases.line) == [line])
  }

  @Test func `Values of several units are counted in the usual one`() throws {
    let records = [("100.4", "°F"), ("37", "°C")].map { value, unit in
      MeasurementRecord.with { ($0.kind, $0.value, $0.unit) = ("temperature", value, unit) }
    }
    let phrases = CarePhrases(.english, in: try #require(Zone(named: "UTC")))
    #expect(
      MeasurementTally.all(of: records).map(phrases.line) == ["temperature: 37–38 °C, mean 37.5 (2 values)"])
  }

  @Test func `Kinds of one's own are counted by name and unit, and a kind of a later version is not lost`() throws {
    let records = [
      ("other", "INR", "2.35", ""), ("other", "INR", "2.4", ""), ("other", "INR", "1", "x"),
      ("humidity", "", "40", "%"),
    ].map { one in
      MeasurementRecord.with { ($0.kind, $0.name, $0.value, $0.unit) = one }
    }
    let phrases = CarePhrases(.japanese, in: try #require(Zone(named: "UTC")))
    #expect(
      MeasurementTally.all(of: records).map(phrases.line) == [
        "INR: 2.35–2.4、平均 2.38 (2回)", "INR: 1 x (1回)", "humidity: 40 % (1回)",
      ])
  }
}
