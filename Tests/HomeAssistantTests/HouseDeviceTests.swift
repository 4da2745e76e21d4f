import Bus
import Foundation
import KithMessages
import SwiftProtobuf
import Testing

@testable import HomeAssistant

@Suite struct HouseDeviceTests {
  private static let topics = HouseTopics(id: "01a1fc35", discovery: "homeassistant")

  private func components(_ language: CareLanguage) throws -> [String: [String: Any]] {
    let device = HouseDevice(
      topics: Self.topics, language: language, version: "0.2.0", page: "https://kith.home.arpa:8443/")
    let payload = try #require(try JSONSerialization.jsonObject(with: Data(device.json.utf8)) as? [String: Any])
    return try #require(payload["components"] as? [String: [String: Any]])
  }

  @Test func `it is at the topic where Home Assistant looks, and tells who made it`() throws {
    let device = HouseDevice(topics: Self.topics, language: .english, version: "0.2.0", page: "")
    #expect(Self.topics.device == "homeassistant/device/kith_01a1fc35/config")
    let payload = try #require(try JSONSerialization.jsonObject(with: Data(device.json.utf8)) as? [String: Any])
    #expect((payload["device"] as? [String: Any])?["identifiers"] as? [String] == ["kith_01a1fc35"])
    #expect((payload["device"] as? [String: Any])?["sw_version"] as? String == "0.2.0")
    #expect((payload["device"] as? [String: Any])?["configuration_url"] == nil)
    #expect((payload["origin"] as? [String: Any])?["name"] as? String == "kith")
  }

  /// Home Assistant ignores a key that it does not know in silence, so every change has to be seen in these files.
  @Test(arguments: [("en", CareLanguage.english), ("ja", .japanese)])
  func `the device is as it was`(name: String, language: CareLanguage) throws {
    let device = HouseDevice(
      topics: Self.topics, language: language, version: "0.2.0", page: "https://kith.home.arpa:8443/")
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../vectors/homeassistant/device.\(name).json")
    #expect(try String(contentsOf: file, encoding: .utf8) == device.json + "\n", "it is now: \(device.json)")
  }

  @Test func `each entity has an id of its own, and is unavailable while the hub is away`() throws {
    let components = try self.components(.english)
    for (key, component) in components where component["platform"] as? String != "device_automation" {
      #expect(component["unique_id"] as? String == "kith_01a1fc35_\(key)", "\(key)")
      #expect(component["availability_topic"] as? String == Self.topics.availability, "\(key)")
    }
    #expect(components.count == 27)
  }

  @Test func `no command is retained, and each press says when it was`() throws {
    let pressed = try self.components(.english).filter { $0.value["command_topic"] != nil }
    #expect(pressed.count == 10)
    for (key, component) in pressed {
      #expect(component["retain"] as? Bool == false, "\(key)")
      guard key != "daily" else { continue }
      #expect((component["command_template"] as? String)?.contains("now()") == true, "\(key)")
    }
  }

  @Test func `names are in the language of the household`() throws {
    let (english, japanese) = (try self.components(.english), try self.components(.japanese))
    #expect(english["care_medication"]?["name"] as? String == "Medication given")
    #expect(japanese["care_medication"]?["name"] as? String == "服薬を記録")
    for (key, component) in japanese {
      guard let name = component["name"] as? String else { continue }
      #expect(name.unicodeScalars.contains { $0.value > 0x3000 }, "\(key): \(name)")
    }
  }

  @Test func `a reminder fires triggers, which are not retained states`() throws {
    let trigger = try #require(try self.components(.english)["trigger_due"])
    #expect(trigger["topic"] as? String == Self.topics.reminder)
    #expect(trigger["payload"] as? String == "due")
    #expect(ReminderNews(.satisfied) == .done)
    #expect(ReminderNews(.waiting) == nil)
  }
}

@Suite struct HouseStateTests {
  @Test func `what is not known is left out`() {
    #expect(
      HouseState().json == #"{"daily":false,"due":0,"last":{},"sync":"idle","today":0}"#)
  }

  @Test func `times are in UTC, and the newest of all categories counts`() {
    var state = HouseState()
    for (category, seconds) in [(CareCategory.meal, Int64(1_800_000_000)), (.medication, 1_700_000_000)] {
      var record = CareRecord()
      record.knownCategory = category
      record.occurredAt.seconds = seconds
      state.take(record)
    }
    #expect(state.lastCare == "2027-01-15T08:00:00Z")
    #expect(state.last == ["meal": "2027-01-15T08:00:00Z", "medication": "2023-11-14T22:13:20Z"])
  }

  @Test(
    arguments: [
      ([SyncStatus.State.idle], HouseState.Sync.idle, nil), ([.completed, .syncing], .syncing, nil),
      ([.completed, .error], .error, HouseState.Problem.sync), ([.completed], .completed, nil),
    ] as [([SyncStatus.State], HouseState.Sync, HouseState.Problem?)])
  func `the worst of all sources is shown`(
    states: [SyncStatus.State], sync: HouseState.Sync, problem: HouseState.Problem?
  ) {
    var status = StatusReply()
    status.sync = states.map { state in
      var one = SyncStatus()
      one.source = "contacts:home"
      one.state = state
      return one
    }
    var state = HouseState()
    state.take(status, BackupState(), now: .now())
    #expect(state.sync == sync)
    #expect(state.problem == problem)
    status.storage.integrity = .damaged
    state.take(status, BackupState(), now: .now())
    #expect(state.problem == .store)
  }

  @Test func `what needs a person is what the status says, and a server that is away for a moment is none`() {
    var status = StatusReply()
    var source = SyncStatus()
    source.source = "contacts:home"
    source.state = .error
    source.error = Failure(.unavailable, "SOURCE_UNREACHABLE", "The server does not answer.").status
    source.consecutiveFailures = 1
    status.sync = [source]
    var backups = BackupState()
    backups.folder = "/srv/backups"
    backups.lastGood = .init(seconds: 1_000_000)
    var state = HouseState()
    state.take(status, backups, now: .init(seconds: 1_000_000 + 86_400))
    #expect((state.problem, state.sync) == (nil, .error))
    state.take(status, backups, now: .init(seconds: 1_000_000 + 3 * 86_400))
    #expect(state.problem == .backup)
    status.sync[0].consecutiveFailures = 3
    state.take(status, backups, now: .init(seconds: 1_000_000 + 3 * 86_400))
    #expect(state.problem == .sync)
  }
}
