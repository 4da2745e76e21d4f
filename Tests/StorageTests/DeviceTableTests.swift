import Bus
import EventLoop
import KithMessages
import SwiftProtobuf
import Testing

@testable import Storage

@Suite(.timeLimit(.minutes(5))) struct DeviceTableTests {
  private func device(_ name: String, state: String = "active", token: UInt8) -> StoredDevice {
    StoredDevice(
      .with {
        $0.name = name
        $0.state = state
      }, token: [UInt8](repeating: token, count: 32))
  }

  @Test func `a device is found by its token, and by its name while it is active`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    let (old, new) = (self.device("phone", state: "revoked", token: 1), self.device("phone", token: 2))
    try await storage.write { transaction throws(Failure) in
      try transaction.devices.put(old)
      try transaction.devices.put(new, notice: "device.added")
    }
    let (byToken, byName) = try await storage.read { view throws(Failure) in
      (try view.devices.find(token: old.token), try view.devices.active("phone"))
    }
    #expect(byToken == old && byName == new)
    let notices = temporary.published.withLock { $0.map(\.event.system) }
    #expect(notices.map(\.kind) == ["device.added"] && notices.map(\.text) == ["phone"])
    await storage.close()
  }

  @Test func `a device that has expired keeps its token and gives up its name`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    var (brief, endless) = (self.device("phone", token: 1), self.device("tablet", token: 2))
    brief.device.expires.seconds = 10
    #expect(brief.device.isActive(at: 9_999_999_999) && !brief.device.isActive(at: 10_000_000_000))
    #expect(endless.device.isActive(at: .max))
    for (now, state) in [(Int64(9), "active"), (10, "expired")] {
      let (old, byName) = try await storage.write { [brief, endless] transaction throws(Failure) in
        for device in [brief, endless] where try transaction.devices.find(token: device.token) == nil {
          try transaction.devices.put(device)
        }
        try transaction.devices.expire(now: now * 1_000_000_000)
        return (try transaction.devices.find(token: brief.token), try transaction.devices.active("phone"))
      }
      #expect(old?.device.state == state && (byName == nil) == (state == "expired"))
    }
    endless = self.device("phone", token: 3)
    let states = try await storage.write { [endless] transaction throws(Failure) in
      try transaction.devices.put(endless)
      return try transaction.devices.all().map(\.device.state)
    }
    #expect(states == ["expired", "active", "active"])
    await storage.close()
  }

  @Test func `two active devices cannot have one name`() async throws {
    let temporary = TemporaryStore()
    let storage = try temporary.open()
    try await storage.write { transaction throws(Failure) in
      try transaction.devices.put(self.device("phone", token: 1))
    }
    await #expect(throws: Failure.self) {
      try await storage.write { transaction throws(Failure) in
        try transaction.devices.put(self.device("phone", token: 2))
      }
    }
    await storage.close()
  }

  @Test func `a store of before gets the table, and its keys stay`() async throws {
    let temporary = TemporaryStore()
    let before = Migration.all.prefix { $0.name != "devices" }
    #expect(before.count < Migration.all.count)
    let older = try temporary.open(migrations: Array(before))
    try await older.write { transaction throws(Failure) in
      try transaction.keys.put(
        .with {
          $0.publicKeyZ85 = "k"
          $0.fingerprint = "f"
          $0.name = "kitchen"
          $0.state = "approved"
        })
    }
    await older.close()
    let newer = try temporary.open(migrations: Migration.all)
    let (devices, keys) = try await newer.read { view throws(Failure) in
      (try view.devices.all(), try view.keys.all())
    }
    #expect(devices.isEmpty && keys.map(\.name) == ["kitchen"])
    await newer.close()
  }
}
