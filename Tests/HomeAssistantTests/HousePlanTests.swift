import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import HomeAssistant

@Suite struct HousePlanTests {
  private static let topics = HouseTopics(id: "01a1fc35", discovery: "homeassistant")

  private static func item(_ number: Int, _ name: String, _ state: PlanState = .active) -> PlanItem {
    PlanItem.with {
      $0.id = "0197f3c2-5b1e-7d3a-9c41-2f6e8a7b9d1\(number)"
      $0.name = name
      $0.knownState = state
      $0.createdAt.seconds = Int64(1_795_586_400 + number)
    }
  }

  private static func plan(withNames: Bool) -> HousePlan {
    var plan = HousePlan()
    // Out of their order, as the hub lists them by name.
    plan.take(
      [Self.item(2, "Vitamin D", .paused), Self.item(0, "Aspirin"), Self.item(1, "Codeine", .ended)],
      withNames: withNames)
    plan.take(
      yesterday: PlanDay(),
      today: PlanDay.with { day in
        day.dues = [("missed", 0), ("given", 3600), ("due", 7200), ("coming", 36_000)].map { state, after in
          PlanDue.with { ($0.state, $0.due.seconds) = (state, 1_795_586_400 + Int64(after)) }
        }
      }, tomorrow: PlanDay())
    plan.take([
      Dose.with { ($0.itemID, $0.outcome, $0.occurredAt.seconds) = (Self.item(0, "").id, "skipped", 1_795_590_000) },
      Dose.with { ($0.itemID, $0.outcome, $0.occurredAt.seconds) = (Self.item(0, "").id, "given", 1_795_586_400) },
    ])
    guard withNames else { return plan }
    plan.take(
      MeasurementRecord.with {
        ($0.kind, $0.value, $0.lower, $0.unit, $0.occurredAt.seconds) = (
          "blood_pressure", "130", "80", "mmHg", 1_795_586_400
        )
      })
    plan.take(
      MeasurementRecord.with {
        ($0.kind, $0.value, $0.unit, $0.occurredAt.seconds) = ("temperature", "37.2", "°C", 1_795_586_400)
      })
    return plan
  }

  private func device(_ language: CareLanguage, withNames: Bool) -> HouseDevice {
    HouseDevice(
      topics: Self.topics, language: language, version: "0.2.0", page: "", plan: Self.plan(withNames: withNames))
  }

  private func components(_ device: HouseDevice) throws -> [String: [String: Any]] {
    let payload = try #require(try JSONSerialization.jsonObject(with: Data(device.json.utf8)) as? [String: Any])
    return try #require(payload["components"] as? [String: [String: Any]])
  }

  @Test(arguments: [("en", CareLanguage.english), ("ja", .japanese)])
  func `the device is as it was`(name: String, language: CareLanguage) throws {
    let device = self.device(language, withNames: true)
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../vectors/homeassistant/plan.\(name).json")
    #expect(try String(contentsOf: file, encoding: .utf8) == device.json + "\n", "it is now: \(device.json)")
  }

  @Test func `an item that has ended is taken away, and keeps its number`() throws {
    let components = try self.components(self.device(.english, withNames: false))
    #expect(components["plan_2f6e8a7b9d10"]?["name"] as? String == "Item 1 given")
    #expect(components["plan_2f6e8a7b9d12"]?["name"] as? String == "Item 3 given")
    #expect(components["plan_2f6e8a7b9d11"]?.count == 1 && components["plan_2f6e8a7b9d11_last"]?.count == 1)
    #expect(components["plan_2f6e8a7b9d10"]?["retain"] as? Bool == false)
    #expect((components["plan_2f6e8a7b9d10"]?["command_template"] as? String)?.contains("now()") == true)
  }

  @Test func `without the details neither names nor values are told`() throws {
    let device = self.device(.english, withNames: false)
    for word in ["Aspirin", "Codeine", "Vitamin"] { #expect(!device.json.contains(word)) }
    let measured = try self.components(device).filter { $0.key.hasPrefix("measured_") }
    #expect(measured.count == HousePlan.kinds.count + 1 && measured.values.allSatisfy { $0.count == 1 })
    var state = HouseState()
    state.plan = Self.plan(withNames: false)
    #expect(
      state.json
        == #"{"daily":false,"due":0,"last":{},"plan":{"due":1,"last":{"2f6e8a7b9d10":"2026-11-25T06:00:00Z"},"missed":1,"next":"2026-11-25T16:00:00Z"},"sync":"idle","today":0}"#
    )
  }

  @Test func `a household without a plan is as it was before there were plans`() throws {
    let plain = HouseDevice(topics: Self.topics, language: .english, version: "0.2.0", page: "")
    #expect(try self.components(plain).keys.allSatisfy { !$0.hasPrefix("plan") && !$0.hasPrefix("measured") })
    // One whose items have all ended has no entity of it, and none that stays.
    var ended = HousePlan()
    ended.take([Self.item(0, "Aspirin", .ended)], withNames: true)
    var device = plain
    device.plan = ended
    let left = try self.components(device).filter { $0.key.hasPrefix("plan") }
    #expect(left.count == 6 && left.values.allSatisfy { $0.count == 1 })
  }

  @Test func `what becomes of a press is told by its warning`() {
    #expect(PlanNews(DoseReply.with { $0.dose.id = "1" }) == .recorded)
    #expect(PlanNews(DoseReply.with { $0.warnings = [PlanWarning.with { $0.kind = "given" }] }) == .given)
    #expect(PlanNews.allCases.dropFirst().map(\.rawValue).sorted() == PlanWarningKind.allCases.map(\.rawValue).sorted())
  }
}
