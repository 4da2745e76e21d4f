import Bus
import EventLoop
import KithMessages
import Logging
import Secrets
import Storage
import SwiftProtobuf
import TestKit
import Testing

@testable import BusZeroMQ
@testable import Hub

/// What becomes of a device at the hub, from its invitation to its end, without a socket.
@Suite(.timeLimit(.minutes(5))) struct DevicesActorTests {
  private static let admin = Principal(name: "uid:1", role: .admin)

  /// A store with its devices, and what commands are let in as.
  private struct House {
    let directory: TemporaryDirectory
    let storage: StorageActor
    let access = AccessPolicy(ownUserID: 1)
    let devices: DevicesActor
    let router: Router

    init(url: String = "", directory: TemporaryDirectory? = nil) async throws {
      let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
      self.directory = try directory ?? TemporaryDirectory()
      self.storage = try StorageActor(directory: self.directory.file("state"), logger: silent) { _ in }
      let inFlight = InFlightCommands()
      self.devices = DevicesActor(
        storage: self.storage, access: self.access, inFlight: inFlight,
        secrets: SecretDirectory(path: self.directory.file("secrets")), url: url, logger: silent)
      self.router = Router(
        self.devices.routes, inFlight: inFlight, journal: self.storage,
        contentKey: try ContentKey.load(directory: self.directory.path),
        paths: HubPaths(), logger: silent)
      try await self.devices.start()
    }

    func ask<C: Command>(_ command: C, as principal: Principal = admin) async throws -> C.Reply {
      try await self.router.call(command, CallContext(principal: principal)).reply
    }

    func add(_ name: String, token: String, role: String = "viewer") async throws -> Device {
      try await self.ask(
        AddDeviceRequest.with {
          $0.name = name
          $0.role = role
          $0.tokenSha256 = DevicesActorTests.digest(token)
        })
    }

    func invite(_ name: String, _ role: Role) async throws -> String {
      try await self.ask(
        InviteDeviceRequest.with {
          $0.name = name
          $0.role = role.rawValue
        }
      ).code
    }

    func pair(_ code: String, token: String, unencrypted: Bool = false) async throws -> Device {
      try await self.ask(
        PairDeviceRequest.with {
          $0.code = code
          $0.tokenSha256 = DevicesActorTests.digest(token)
          $0.unencrypted = unencrypted
        })
    }

    func principal(_ token: String) -> Principal? { try? self.access.principal(userID: "uid:1", token: token) }

    func close() async {
      await self.devices.stop()
      await self.storage.close()
    }
  }

  private static func digest(_ token: String) -> String { TokenDigest(of: token).hex }

  private func reason(_ work: () async throws -> Void) async -> String? {
    do {
      try await work()
      return nil
    } catch {
      return (error as? Failure)?.reason
    }
  }

  @Test("a device joins by a code, counts at once, and is still there after a restart")
  func pair() async throws {
    let house = try await House(url: "https://kith.home.arpa")
    let invitation = try await house.ask(
      InviteDeviceRequest.with {
        $0.name = "hanako"
        $0.validFor = Google_Protobuf_Duration(seconds: 60)
      })
    #expect(invitation.url == "https://kith.home.arpa/pair#\(invitation.code)" && invitation.role == "recorder")
    #expect(invitation.code.count == 8 && invitation.code.allSatisfy(\.isNumber))
    let waiting = try await house.ask(DevicesListRequest()).invitations
    #expect(waiting.map(\.name) == ["hanako"] && waiting.map(\.code) == [""])
    let request = PairDeviceRequest.with {
      $0.code = invitation.code
      $0.tokenSha256 = Self.digest("t1")
    }
    let device = try await house.ask(request)
    #expect(device.name == "hanako" && device.state == "active" && device.addedBy == "uid:1" && device.hasExpires)
    #expect(house.principal("t1") == Principal(name: "device:hanako", role: .recorder))
    #expect(try await house.ask(DevicesListRequest()).invitations.isEmpty)
    await house.close()
    let again = try await House(directory: house.directory)
    #expect(again.principal("t1")?.name == "device:hanako")
    // Its answer was lost, and with the restart the code.
    #expect(try await again.ask(request).name == "hanako")
    var other = request
    other.tokenSha256 = Self.digest("t2")
    #expect(await self.reason { _ = try await again.ask(other) } == "CODE_UNKNOWN")
    await again.close()
  }

  @Test("a token that an earlier device had uses no code up", arguments: ["revoked", "expired"])
  func burntToken(end: String) async throws {
    let house = try await House()
    if end == "revoked" {
      _ = try await house.add("old", token: "t1")
      _ = try await house.ask(RevokeDeviceRequest.with { $0.name = "old" })
    } else {
      let device = Device.with {
        $0.name = "old"
        $0.state = "active"
        $0.expires.seconds = 1
      }
      try await house.storage.write { transaction throws(Failure) in
        try transaction.devices.put(StoredDevice(device, token: TokenDigest(of: "t1").bytes))
      }
    }
    let code = try await house.invite("new", .recorder)
    #expect(await self.reason { _ = try await house.pair(code, token: "t1") } == "FIELD_INVALID")
    #expect(try await house.ask(DevicesListRequest()).invitations.map(\.name) == ["new"])
    #expect(try await house.pair(code, token: "t2").name == "new")
    #expect(house.principal("t1") == nil)
    await house.close()
  }

  @Test(
    "a code that others may have read is void for everybody, unless it is a viewer's",
    arguments: [Role.viewer, .recorder, .admin])
  func unencrypted(role: Role) async throws {
    let house = try await House()
    let code = try await house.invite("phone", role)
    let reason = await self.reason { _ = try await house.pair(code, token: "t1", unencrypted: true) }
    #expect(try await house.ask(DevicesListRequest()).invitations.isEmpty)
    if role == .viewer {
      #expect(reason == nil && house.principal("t1") == Principal(name: "device:phone", role: .viewer))
      // Its answer was lost.
      #expect(try await house.pair(code, token: "t1", unencrypted: true).name == "phone")
    } else {
      #expect(reason == "ENCRYPTION_NEEDED" && house.principal("t1") == nil)
      for token in ["t1", "t2"] {
        #expect(await self.reason { _ = try await house.pair(code, token: token) } == "CODE_UNKNOWN")
      }
      #expect(try await house.ask(DevicesListRequest()).devices.isEmpty)
    }
    await house.close()
  }

  @Test("a device that has joined, and shows its code again where others may read it, is refused and stays")
  func unencryptedAgain() async throws {
    let house = try await House()
    let code = try await house.invite("phone", .recorder)
    _ = try await house.pair(code, token: "t1")
    let other = try await house.invite("tablet", .recorder)
    for shown in [code, other] {
      #expect(
        await self.reason { _ = try await house.pair(shown, token: "t1", unencrypted: true) } == "ENCRYPTION_NEEDED")
    }
    #expect(house.principal("t1") == Principal(name: "device:phone", role: .recorder))
    #expect(try await house.pair(code, token: "t1").state == "active")
    #expect(await self.reason { _ = try await house.pair(other, token: "t2") } == "CODE_UNKNOWN")
    await house.close()
  }

  @Test("a revoked device is nobody from the answer on, and its name is free")
  func revoke() async throws {
    let house = try await House()
    _ = try await house.add("button", token: "t1", role: "admin")
    #expect(await self.reason { _ = try await house.add("button", token: "t2") } == "RECORD_EXISTS")
    #expect(
      await self.reason { _ = try await house.ask(InviteDeviceRequest.with { $0.name = "button" }) } == "RECORD_EXISTS")
    #expect(try await house.ask(RevokeDeviceRequest.with { $0.name = "button" }).state == "revoked")
    #expect(house.principal("t1") == nil)
    #expect(
      await self.reason { _ = try await house.ask(RevokeDeviceRequest.with { $0.name = "button" }) } == "RECORD_UNKNOWN"
    )
    // The token is burnt, the name is not.
    #expect(await self.reason { _ = try await house.add("button", token: "t1") } == "FIELD_INVALID")
    _ = try await house.add("button", token: "t3")
    #expect(try await house.ask(DevicesListRequest()).devices.map(\.state) == ["revoked", "active"])
    await house.close()
  }

  @Test("a device may sign out, and nobody else can")
  func leave() async throws {
    let house = try await House()
    _ = try await house.add("phone", token: "t1")
    let phone = try #require(house.principal("t1"))
    #expect(await self.reason { _ = try await house.ask(LeaveRequest()) } == "NOT_A_DEVICE")
    #expect(try await house.ask(LeaveRequest(), as: phone).name == "phone")
    #expect(house.principal("t1") == nil)
    await house.close()
  }

  @Test("there are 64 devices at most, and the newest hundred revoked ones stay listed")
  func bounds() async throws {
    let house = try await House()
    for number in 0..<DevicesActor.limit { _ = try await house.add("d\(number)", token: "t\(number)") }
    #expect(await self.reason { _ = try await house.add("more", token: "more") } == "TOO_MANY_DEVICES")
    for number in 0..<(DevicesActor.limit + 40) {
      if number >= DevicesActor.limit { _ = try await house.add("d\(number)", token: "t\(number)") }
      _ = try await house.ask(RevokeDeviceRequest.with { $0.name = "d\(number)" })
    }
    let devices = try await house.ask(DevicesListRequest()).devices
    #expect(devices.count == 100 && devices.first?.name == "d4" && devices.allSatisfy { $0.state == "revoked" })
    await house.close()
  }

  @Test("an expired device is shown as such")
  func expiry() async throws {
    let house = try await House()
    var request = AddDeviceRequest()
    request.name = "brief"
    request.tokenSha256 = Self.digest("t1")
    request.validFor = Google_Protobuf_Duration(seconds: 1)
    _ = try await house.ask(request)
    let end = ContinuousClock.now + .seconds(20)
    while house.principal("t1") != nil, ContinuousClock.now < end { await Task.yield() }
    #expect(house.principal("t1") == nil)
    #expect(try await house.ask(DevicesListRequest()).devices.map(\.state) == ["expired"])
    // Its name is free for another token, and it stays listed as what it is.
    #expect(try await house.ask(InviteDeviceRequest.with { $0.name = "brief" }).name == "brief")
    #expect(await self.reason { _ = try await house.add("brief", token: "t1") } == "FIELD_INVALID")
    #expect(try await house.add("brief", token: "t2").state == "active")
    #expect(try await house.ask(DevicesListRequest()).devices.map(\.state) == ["expired", "active"])
    #expect(house.principal("t1") == nil && house.principal("t2")?.name == "device:brief")
    _ = try await house.ask(RevokeDeviceRequest.with { $0.name = "brief" })
    #expect(try await house.ask(DevicesListRequest()).devices.map(\.state) == ["expired", "revoked"])
    await house.close()
  }

  @Test("expired devices take no place of the 64, and of those that have ended a hundred stay listed")
  func expiredTakeNoPlace() async throws {
    let house = try await House()
    let tokens = (0..<120).map { [UInt8](repeating: UInt8($0), count: 32) }
    try await house.storage.write { transaction throws(Failure) in
      for (number, token) in tokens.enumerated() {
        let device = Device.with {
          $0.name = "old\(number)"
          $0.state = "active"
          $0.expires.seconds = 1
        }
        try transaction.devices.put(StoredDevice(device, token: token))
      }
    }
    _ = try await house.add("new", token: "t")
    let devices = try await house.ask(DevicesListRequest()).devices
    #expect(devices.filter { $0.state == "expired" }.count == 100 && devices.last?.name == "new")
    await house.close()
  }

  @Test("bad fields are named", arguments: ["name", "role", "token_sha256", "valid_for"])
  func fields(field: String) async throws {
    let house = try await House()
    var request = AddDeviceRequest()
    request.name = field == "name" ? "Upper" : "fine"
    request.role = field == "role" ? "door" : "admin"
    request.tokenSha256 = field == "token_sha256" ? String(repeating: "A", count: 64) : Self.digest("t")
    request.validFor = Google_Protobuf_Duration(seconds: field == "valid_for" ? 0 : 60)
    do {
      _ = try await house.ask(request)
      Issue.record("taken")
    } catch {
      #expect((error as? Failure).map { Array($0.status.details.keys) } == [field])
    }
    await house.close()
  }
}
