import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Hub

struct DoorsTests {
  private static let user = Principal(name: "uid:900", role: .door)
  private static let second: Int64 = 1_000_000_000

  private func door(_ change: (inout Door) -> Void = { _ in }) -> Door {
    .with {
      $0.url = "https://kith.home.arpa:8443"
      $0.tls = "own-ca"
      change(&$0)
    }
  }

  @Test("a door stays listed with the time of its last word, one for each address")
  func heard() throws {
    var doors = Doors()
    try doors.note(self.door { $0.version = "1" }, from: Self.user, now: 1_000_000_000)
    try doors.note(self.door { $0.url = "https://other.home.arpa/" }, from: Self.user, now: 3_000_000_000)
    try doors.note(
      self.door {
        $0.version = "2"
        $0.lastSeen.seconds = 99
      }, from: Self.user, now: 2_000_000_000)
    #expect(doors.all.map(\.url) == ["https://kith.home.arpa:8443", "https://other.home.arpa"])
    #expect(doors.all.map(\.lastSeen.seconds) == [2, 3] && doors.all.first?.version == "2")
    #expect(doors.newest?.url == "https://other.home.arpa")
  }

  @Test("an address that its door has left is forgotten when it was not heard for 90 seconds")
  func moved() throws {
    var doors = Doors()
    try doors.note(self.door(), from: Self.user, now: 0)
    let moved = self.door { $0.url = "https://kith.home.arpa" }
    try doors.note(moved, from: Self.user, now: 5 * Self.second)
    try doors.note(moved, from: Self.user, now: 89 * Self.second)
    #expect(doors.all.count == 2)
    try doors.note(moved, from: Self.user, now: 90 * Self.second)
    #expect(doors.all.map(\.url) == ["https://kith.home.arpa"])
  }

  @Test("a door that has failed stays listed, beside one of the same user and beside one of another")
  func failed() throws {
    var doors = Doors()
    let (first, second) = (self.door { $0.url = "https://a.home.arpa" }, self.door { $0.url = "https://b.home.arpa" })
    try doors.note(first, from: Self.user, now: 0)
    try doors.note(second, from: Self.user, now: 10 * Self.second)
    try doors.note(first, from: Self.user, now: 30 * Self.second)
    try doors.note(second, from: Self.user, now: 1000 * Self.second)
    try doors.note(
      self.door { $0.url = "https://c.home.arpa" }, from: Principal(name: "key:attic", role: .door),
      now: 1000 * Self.second)
    #expect(doors.all.map(\.lastSeen.seconds) == [30, 1000, 1000])
    // A new address of its own user is where it has gone.
    try doors.note(self.door { $0.url = "https://d.home.arpa" }, from: Self.user, now: 1001 * Self.second)
    #expect(
      doors.all.map(\.url) == ["https://b.home.arpa", "https://c.home.arpa", "https://d.home.arpa"])
  }

  @Test("there are eight at most: the one that was not heard for longest goes")
  func bound() throws {
    var doors = Doors()
    for number in 1...9 {
      try doors.note(
        self.door { $0.url = "https://h\(number).home.arpa" }, from: Self.user, now: Int64(number) * 1_000_000_000)
    }
    #expect(doors.all.count == Doors.limit && !doors.all.contains { $0.url == "https://h1.home.arpa" })
  }

  @Test(
    "an address has a host and no path",
    arguments: [
      "", "kith.home.arpa", "ftp://kith.home.arpa", "https://", "https://kith.home.arpa/x", "https://a@kith.home.arpa",
      "https://kith.home.arpa?x", "https://kith.home.arpa#x", "https://kith home", "https://k\u{1B}[2J",
      "https://" + String(repeating: "k", count: 250), "javascript:alert(1)",
    ])
  func addresses(text: String) {
    #expect(Doors.address(text) == nil)
    var doors = Doors()
    let failure = #expect(throws: Failure.self) { try doors.note(self.door { $0.url = text }, from: Self.user, now: 0) }
    #expect(failure.map { Array($0.status.details.keys) } == ["url"] && doors.all.isEmpty)
  }

  @Test("its other words are bounded", arguments: ["tls", "version", "fault"])
  func words(field: String) {
    var doors = Doors()
    let failure = #expect(throws: Failure.self) {
      try doors.note(
        self.door {
          switch field {
          case "tls": $0.tls = "magic"
          case "version": $0.version = String(repeating: "v", count: 65)
          default: $0.fault = String(repeating: "f", count: 501)
          }
        }, from: Self.user, now: 0)
    }
    #expect(failure.map { Array($0.status.details.keys) } == [field])
  }
}
