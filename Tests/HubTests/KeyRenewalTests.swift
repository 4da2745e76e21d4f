import Bus
import BusZeroMQ
import KithMessages
import Logging
import Storage
import TestKit
import Testing
import ZeroMQ

@testable import Hub

/// A revoked key stays out, in whatever order readings of the stored keys end.
@Suite(.timeLimit(.minutes(5))) struct KeyRenewalTests {
  private static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

  private static func key(_ state: String) throws -> KeyInfo {
    var key = KeyInfo()
    key.publicKeyZ85 = try CurveKeyPair.random().publicKey.z85
    key.name = "phone"
    key.role = "viewer"
    key.state = state
    return key
  }

  @Test func anOlderReadingIsNotTakenAfterALaterOne() async throws {
    let directory = try TemporaryDirectory()
    let storage = try StorageActor(directory: directory.file("state"), logger: Self.silent) { _ in }
    let access = AccessPolicy(ownUserID: 1)
    let tcp = try TCPAccess(nil, stateDirectory: directory.path, logger: Self.silent) { _ in true }
    let keys = KeysActor(storage: storage, access: access, tcp: tcp, logger: Self.silent)
    let approved = try Self.key("approved")
    var revoked = approved
    revoked.state = "revoked"
    let gate = Gate()
    let older = Task {
      try await keys.renew {
        await gate.wait()
        return [approved]
      }
    }
    await gate.arrival()
    try await keys.renew { [revoked] in [revoked] }
    #expect(access.principal(userID: "key:phone") == nil)
    gate.open()
    try await older.value
    #expect(access.principal(userID: "key:phone") == nil)
    // A reading begun later is applied.
    try await keys.renew { [approved] in [approved] }
    #expect(access.principal(userID: "key:phone")?.role == .viewer)
    await storage.close()
  }
}
