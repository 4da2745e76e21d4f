import Bus
import KithMessages
import SwiftProtobuf
import Testing

@testable import Hub

struct DoorsTests {
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
    try doors.note(self.door { $0.version = "1" }, now: 1_000_000_000)
    try doors.note(self.door { $0.url = "https://other.home.arpa/" }, now: 3_000_000_000)
    try doors.note(
      self.door {
        $0.version = "2"
        $0.lastSeen.seconds = 99
      }, now: 2_000_000_000)
    #expect(doors.all.map(\.url) == ["https://kith.home.arpa:8443", "https://other.home.arpa"])
    #expect(doors.all.map(\.lastSeen.seconds) == [2, 3] && doors.all.first?.version == "2")
    #expect(doors.newest?.url == "https://other.home.arpa")
  }

  @Test("there are eight at most: the one that was not heard for longest goes")
  func bound() throws {
    var doors = Doors()
    for number in 1...9 {
      try doors.note(self.door { $0.url = "https://h\(number).home.arpa" }, now: Int64(number) * 1_000_000_000)
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
    let failure = #expect(throws: Failure.self) { try doors.note(self.door { $0.url = text }, now: 0) }
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
        }, now: 0)
    }
    #expect(failure.map { Array($0.status.details.keys) } == [field])
  }
}
