import Bus
import Foundation
import KithMessages
import Testing
import ZeroMQ

@testable import BusZeroMQ

/// Which role may call which method: the rules in `proto/`, read as text, against the access policy.
struct RoleTableTests {
  /// The least role of each method, as the proto files state it.
  private static let stated: [String: String] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../proto/kith/v1").standardizedFileURL
    var roles: [String: String] = [:]
    for file in (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? [] {
      guard file.pathExtension == "proto", let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      var (service, method) = ("", "")
      for line in text.split(separator: "\n") {
        let words = line.split { " ({".contains($0) }
        if words.first == "service" { service = String(words[1]) }
        if words.first == "rpc" { method = String(words[1]) }
        if let role = line.range(of: "role: ") {
          let least = String(line[role.upperBound...].prefix { $0.isLetter })
          roles["kith.v1.\(service)/\(method)"] = line.contains("open: true") ? "OPEN" : least
        }
      }
    }
    return roles
  }()

  /// The roles that include another role.
  private static let holders: [String: Set<Role>] = [
    "VIEWER": [.viewer, .recorder, .admin], "RECORDER": [.recorder, .admin], "ADMIN": [.admin], "WORKER": [.worker],
    "DOOR": [.admin, .door], "OPEN": [.viewer, .recorder, .admin, .door],
  ]

  @Test("the generated table has every method of proto/, and no other")
  func whole() {
    #expect(Set(Methods.all.map(\.name)) == Set(Self.stated.keys))
    #expect(Self.stated.count > 100)
  }

  @Test("each key may call what its role covers, and nothing else", arguments: Role.allCases)
  func cells(role: Role) throws {
    let access = AccessPolicy(ownUserID: 1000)
    let key = try CurveKeyPair.random().publicKey
    access.setKeys([key: .approved(KeyGrant(name: "kitchen", role: role))])
    for method in Methods.all {
      // Looked up for each command, as the plane does.
      let principal = try #require(access.principal(userID: "key:kitchen"))
      let least = try #require(Self.stated[method.name])
      let mayCall = try #require(Self.holders[least]).contains(role)
      if mayCall {
        try principal.require(method)
      } else {
        let failure = #expect(throws: Failure.self) { try principal.require(method) }
        #expect(failure?.code == .permissionDenied && failure?.reason == "ROLE_NOT_ALLOWED")
      }
    }
  }

  @Test(
    "keys, and devices but for their own signing out, are for an admin alone; pairing is for doors as well",
    arguments: Methods.all)
  func keysAreForAdmins(method: KithMessages.Method) {
    if method.name.hasPrefix("kith.v1.Keys/") { #expect(method.role == .admin) }
    guard method.name.hasPrefix("kith.v1.Devices/") else { return }
    let ofOthers: [String: Role] = ["Leave": .viewer, "Pair": .door, "Announce": .door]
    #expect(method.role == ofOthers[String(method.name.dropFirst("kith.v1.Devices/".count))] ?? .admin)
  }

  @Test("who is not known, is revoked or expired, or calls himself otherwise, is nobody")
  func nobody() throws {
    let access = AccessPolicy(ownUserID: 1000, users: [1001: .viewer])
    let (kitchen, hall) = (try CurveKeyPair.random().publicKey, try CurveKeyPair.random().publicKey)
    access.setKeys([kitchen: .revoked, hall: .approved(KeyGrant(name: "hall", role: .admin, expiresAt: 1))])
    for userID in ["", "key:", "key:hall", "key:kitchen", "uid:", "uid:1002", "uid:-1", "hub", "1000", "uid:1000x"] {
      #expect(access.principal(userID: userID) == nil, "\(userID)")
    }
    #expect(access.principal(userID: "uid:1000")?.role == .admin)
    #expect(access.principal(userID: "uid:1001")?.role == .viewer)
  }

  @Test("other users of the machine come in where the configuration says so, and never to the work plane")
  func users() {
    let access = AccessPolicy(ownUserID: 1000, users: [1001: .recorder])
    func decide(_ user: Int, _ domain: String) -> ZAPReply {
      access.decide(ZAPRequest(domain: domain, address: "localhost:\(user):100:4242", credentials: .null))
    }
    #expect(decide(1000, "control") == .accept(userID: "uid:1000"))
    #expect(decide(1000, "work") == .accept(userID: "uid:1000"))
    #expect(decide(1001, "events") == .accept(userID: "uid:1001"))
    #expect(decide(1001, "work") == .refuse)
    #expect(decide(1002, "control") == .refuse)
    // Over tcp a peer without a key has no principal.
    let tcp = ZAPRequest(domain: "control", address: "127.0.0.1", credentials: .null)
    #expect(access.decide(tcp) == .refuse)
    let plain = ZAPRequest(
      domain: "control", address: "localhost:1000:1:1", credentials: .plain(username: "a", password: "b"))
    #expect(access.decide(plain) == .refuse)
  }
}
