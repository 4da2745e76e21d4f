import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import Commands

@Suite struct PlanCommandTests {
  /// `8:00`, `20:00 2 mon,tue`.
  private func time(_ text: String) -> PlanTime {
    let parts = text.split(separator: " ").map(String.init)
    return PlanTime.with {
      $0.time = parts[0]
      if parts.count > 1 { $0.amount = parts[1] }
      if parts.count > 2 { $0.weekdays = parts[2].split(separator: ",").map(String.init) }
    }
  }

  private func text(_ time: PlanTime) -> String {
    [time.time, time.amount, time.weekdays.joined(separator: ",")].filter { !$0.isEmpty }.joined(separator: " ")
  }

  @Test(arguments: [
    // As many as before: in their order, however they are typed.
    (["08:00 1", "20:00 2 mon,tue"], ["08:30", "20:30"], ["08:30 1", "20:30 2 mon,tue"]),
    (["08:00 1", "20:00 2"], ["20:30", "08:00"], ["20:30 2", "08:00 1"]),
    (["08:00 1", "20:00 2"], ["20:30", "08:30"], ["20:30 2", "08:30 1"]),
    // More or fewer: the same clock alone.
    (["08:00 1", "20:00 2 mon,tue"], ["20:30"], ["20:30"]), (["08:00 1", "20:00 2"], ["20:00"], ["20:00 2"]),
    (["08:00 1", "20:00 2"], ["08:00", "14:00", "20:00"], ["08:00 1", "14:00", "20:00 2"]),
    (["08:00 1", "20:00 2"], ["08:00", "14:00", "21:00"], ["08:00 1", "14:00", "21:00"]),
    ([], ["08:00"], ["08:00"]),
  ])
  func `a time has the amount and the days of the one that it was`(
    before: [String], typed: [String], after: [String]
  ) {
    let carried = CarriedTimes(typed, before: before.map(self.time), days: nil)
    #expect(carried.times.map(self.text) == after)
  }

  @Test func `what is carried to another time and what is gone is said`() {
    let before = ["08:00", "14:00 1", "20:00 2 mon,tue"].map(self.time)
    let moved = CarriedTimes(["08:30", "14:00", "20:30"], before: before, days: nil)
    #expect(moved.lines(.english, unit: "mg") == ["20:30 goes on as 20:00 did: 2 mg, Mon Tue"])
    let fewer = CarriedTimes(["20:30"], before: before, days: ["fri"])
    #expect(fewer.times.map(self.text) == ["20:30 fri"])
    #expect(
      fewer.lines(.english, unit: "mg") == [
        "14:00 is gone, and with it: 1 mg", "20:00 is gone, and with it: 2 mg, Mon Tue",
      ])
  }

  @Test func `the new times are those that are sent, and what was carried is printed`() async throws {
    let item = PlanItem.with {
      ($0.id, $0.name, $0.unit) = ("01a21b5f-dcbd-7590-9e0d-d9e2e86b74eb", "Warfarin", "mg")
      $0.times = ["08:00 1", "20:00 2 mon,tue"].map(self.time)
    }
    let run = try await CommandRun.of("plan", "change", item.id, "--at", "9:00,20:30") { command throws(Failure) in
      guard let change = command as? ChangePlanItemRequest else { return item }
      return change.item
    }
    let change = try #require(run.sent.last as? ChangePlanItemRequest)
    #expect(change.item.times.map(self.text) == ["09:00 1", "20:30 2 mon,tue"])
    #expect(run.output.contains("20:30 goes on as 20:00 did: 2, Mon Tue"))
  }

  @Test func `an export asks for all that an item said before`() async throws {
    let versions = (0..<45).map { number in
      PlanVersion.with { ($0.validFrom.seconds, $0.item.amount) = (Int64(1000 - number), "\(number)") }
    }
    let item = PlanItem.with { ($0.id, $0.name) = ("01a21b5f-dcbd-7590-9e0d-d9e2e86b74eb", "Warfarin") }
    let path = NSTemporaryDirectory() + "kith-export-" + UUIDv7.make().text
    defer { try? FileManager.default.removeItem(atPath: path) }
    for isOld in [false, true] {
      _ = try await CommandRun.of("plan", "export", "--format", "json", "-o", path) { command throws(Failure) in
        switch command {
        case let get as GetPlanItemRequest:
          var whole = item
          // An older kithd does not know that something is to be left out.
          whole.versions = Array(versions.dropFirst(isOld ? 0 : Int(get.skipVersions)).prefix(20))
          return whole
        case is ListPlanItemsRequest: return ListPlanItemsReply.with { $0.items = [item] }
        case is ListDosesRequest: return ListDosesReply()
        default: return CareSettings()
        }
      }
      let written = try String(contentsOfFile: path, encoding: .utf8)
      #expect(written.components(separatedBy: "\"validFrom\"").count - 1 == (isOld ? 20 : 45))
    }
  }
}
