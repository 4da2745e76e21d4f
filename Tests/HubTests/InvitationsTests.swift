import Bus
import BusZeroMQ
import KithMessages
import Testing

@testable import Hub

/// Who may join by a code, and for how long.
struct InvitationsTests {
  private static let second: Int64 = 1_000_000_000
  private static let phone = TokenDigest(of: "phone")
  private static let other = TokenDigest(of: "other")
  private static let door = Principal(name: "uid:900", role: .door)

  private func invitation(_ name: String, made: Int64 = 0) -> Invitations.Open {
    Invitations.Open(
      name: name, role: .recorder, validFor: nil, by: "uid:1", expiresAt: made + Invitations.lifetime)
  }

  private func one() throws -> Invitations {
    var invitations = Invitations()
    #expect(try invitations.add(self.invitation("hanako"), code: "12345678", now: 0))
    return invitations
  }

  @Test("a code is for one token, which may come again; groups of digits are the same code")
  func use() throws {
    var invitations = try self.one()
    let now = ContinuousClock.now
    #expect(
      try invitations.find("1234 5678", token: Self.phone, from: Self.door, now: 1, instant: now).name == "hanako")
    invitations.use("1234-5678", by: Self.phone)
    #expect(
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 2, instant: now).role == .recorder)
    let failure = #expect(throws: Failure.self) {
      try invitations.find("12345678", token: Self.other, from: Self.door, now: 2, instant: now)
    }
    #expect(failure?.code == .notFound && failure?.reason == "CODE_UNKNOWN")
    #expect(invitations.usable(now: 2).isEmpty)
  }

  @Test("a code ends after ten minutes, and with the next invitation of its name")
  func end() throws {
    var invitations = try self.one()
    let last = Invitations.lifetime - 1
    #expect(
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: last, instant: .now).name == "hanako")
    #expect(throws: Failure.self) {
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: last + 1, instant: .now)
    }
    #expect(try invitations.add(self.invitation("hanako"), code: "87654321", now: 0))
    #expect(throws: Failure.self) {
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: .now)
    }
    #expect(invitations.usable(now: 0).count == 1)
  }

  @Test("no two open codes are alike, and there are eight at most; a used one makes room")
  func room() throws {
    var invitations = try self.one()
    #expect(try !invitations.add(self.invitation("taro"), code: "12345678", now: 0))
    for number in 1..<Invitations.limit {
      #expect(try invitations.add(self.invitation("n\(number)"), code: "0000000\(number)", now: 0))
    }
    let failure = #expect(throws: Failure.self) {
      try invitations.add(self.invitation("taro"), code: "99999999", now: 0)
    }
    #expect(failure?.code == .resourceExhausted && failure?.reason == "TOO_MANY_CODES")
    invitations.use("12345678", by: Self.phone)
    #expect(try invitations.add(self.invitation("taro"), code: "99999999", now: 0))
    #expect(try invitations.add(self.invitation("later"), code: "11111111", now: Invitations.lifetime))
  }

  @Test("five wrong codes a minute; then the right one has to wait as well")
  func guesses() throws {
    var invitations = try self.one()
    let start = ContinuousClock.now
    var reasons: [String] = []
    for number in 0..<100 {
      do {
        _ = try invitations.find("0000000\(number % 10)", token: Self.other, from: Self.door, now: 0, instant: start)
      } catch {
        reasons.append(error.reason)
        #expect(error.reason == "CODE_UNKNOWN" || error.status.retryAfterMs == 60_000)
      }
    }
    #expect(reasons.prefix(5).allSatisfy { $0 == "CODE_UNKNOWN" })
    #expect(reasons.count == 100 && reasons.dropFirst(5).allSatisfy { $0 == "TOO_MANY_CODES" })
    #expect(throws: Failure.self) {
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: start)
    }
    let later = start + .seconds(12)
    #expect(
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: later).name == "hanako")
    // A right code takes no attempt.
    #expect(
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: later).name == "hanako")
  }

  @Test("who guesses at one door keeps nobody from joining at another, and many doors have twenty attempts together")
  func guessesAtManyDoors() throws {
    var invitations = try self.one()
    let start = ContinuousClock.now
    var tried = 0
    for attacker in 0..<10 {
      let door = Principal(name: "key:d\(attacker)", role: .door)
      for number in 0..<10 {
        let failure = #expect(throws: Failure.self) {
          try invitations.find("0000000\(number)", token: Self.other, from: door, now: 0, instant: start)
        }
        if failure?.reason == "CODE_UNKNOWN" { tried += 1 }
      }
      #expect(tried == min(20, 5 * (attacker + 1)))
      if attacker == 2 {
        #expect(
          try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: start).name == "hanako")
      }
    }
    #expect(throws: Failure.self) {
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: start)
    }
    let later = start + .seconds(3)
    #expect(
      try invitations.find("12345678", token: Self.phone, from: Self.door, now: 0, instant: later).name == "hanako")
  }

  @Test("no number of doors gives more than twenty attempts, and one every three seconds")
  func manyDoors() throws {
    var invitations = try self.one()
    let start = ContinuousClock.now
    var tried = 0
    for attempt in 0..<1000 {
      let door = Principal(name: "key:d\(attempt)", role: .door)
      do {
        _ = try invitations.find(
          "00000000", token: Self.other, from: door, now: 0, instant: start + .milliseconds(30 * attempt))
      } catch {
        if error.reason == "CODE_UNKNOWN" { tried += 1 }
      }
    }
    #expect((29...30).contains(tried))
  }
}
