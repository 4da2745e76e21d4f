import Bus
import KithMessages
import Testing
import ZeroMQ

@testable import BusZeroMQ

struct KeyRingTests {
  private let start = ContinuousClock.now

  private func key(_ number: UInt8) throws -> CurveKey {
    try #require(CurveKey(bytes: Array(repeating: number, count: 32)))
  }

  private func judge(_ ring: inout KeyRing, _ number: UInt8, at seconds: Int = 0, domain: String = "control") throws
    -> KeyRing.Verdict
  {
    ring.judge(try self.key(number), domain: domain, now: Int64(seconds), instant: self.start + .seconds(seconds))
  }

  @Test("an approved key is let in under its name, until it expires")
  func approved() throws {
    let grant = KeyGrant(name: "kitchen", role: .recorder, expiresAt: 10)
    var ring = KeyRing([try self.key(1): .approved(grant)])
    #expect(try self.judge(&ring, 1, at: 9).reply == .accept(userID: "key:kitchen"))
    #expect(ring.grant(named: "kitchen", now: 9) == grant)
    let late = try self.judge(&ring, 1, at: 10)
    #expect(late.reply == .later)
    #expect(late.why == "the key has expired")
    #expect(ring.grant(named: "kitchen", now: 10) == nil)
  }

  @Test("workers have the work plane and nothing else; nobody else has it", arguments: Role.allCases)
  func planes(role: Role) throws {
    var ring = KeyRing([try self.key(1): .approved(KeyGrant(name: "x", role: role))])
    for domain in ["control", "events", "work"] {
      let isOpen = (role == .worker) == (domain == "work")
      #expect(try self.judge(&ring, 1, domain: domain).reply == (isOpen ? .accept(userID: "key:x") : .later))
    }
  }

  @Test("a revoked key is refused for good; one that waits is told to come later, and logged")
  func revokedAndPending() throws {
    var ring = KeyRing([try self.key(1): .revoked, try self.key(2): .pending])
    #expect(try self.judge(&ring, 1).reply == .refuse)
    let waiting = try self.judge(&ring, 2)
    #expect(waiting.reply == .later && waiting.isLogged && waiting.isNoted)
    ring.replace([try self.key(2): .approved(KeyGrant(name: "hall", role: .viewer))])
    #expect(try self.judge(&ring, 2).reply == .accept(userID: "key:hall"))
    // A key that is no longer stored is unknown again.
    #expect(try self.judge(&ring, 1).reply == .later)
  }

  @Test("32 keys wait; further ones are refused, and those that wait are not")
  func fullTable() throws {
    var ring = KeyRing()
    for number in 0..<UInt8(KeyRing.pendingLimit) {
      let verdict = try self.judge(&ring, number, at: Int(number))
      #expect(verdict.reply == .later && verdict.isNoted)
    }
    let late = try self.judge(&ring, 200, at: 100)
    #expect(late.reply == .refuse && !late.isNoted)
    #expect(try self.judge(&ring, 3, at: 101).reply == .later)
  }

  @Test("of strangers that come all at once, eight are kept, and one more a second")
  func flood() throws {
    var ring = KeyRing()
    let kept = try (0..<UInt8(100)).count { try self.judge(&ring, $0).isNoted }
    #expect(kept == 8)
    // None of them is refused, so each may try again.
    #expect(try self.judge(&ring, 99).reply == .later)
    #expect(try self.judge(&ring, 98, at: 1).isNoted)
    #expect(try !self.judge(&ring, 97, at: 1).isNoted)
  }

  @Test("a flood does not fill the log")
  func quiet() throws {
    var ring = KeyRing([try self.key(1): .revoked])
    let logged = try (0..<1000).count { _ in try self.judge(&ring, 1).isLogged }
    #expect(logged == 16)
    #expect(try self.judge(&ring, 1, at: 2).isLogged)
  }
}
