import Bus
import KithMessages
import Testing

@testable import WebRules

@Suite struct LimitsTests {
  private let start = ContinuousClock.now

  private func reason(_ work: () throws -> Void) -> String? {
    do {
      try work()
      return nil
    } catch {
      return (error as? Refusal)?.failure.reason
    }
  }

  @Test func aDeviceHasEightRequestsAtOnce() {
    var limits = DeviceLimits()
    for _ in 0..<8 { #expect(self.reason { try limits.begin("a", isWrite: false, now: self.start) } == nil) }
    #expect(self.reason { try limits.begin("a", isWrite: false, now: self.start) } == "REQUESTS_AT_ONCE")
    #expect(self.reason { try limits.begin("b", isWrite: false, now: self.start) } == nil)
    limits.end("a")
    #expect(self.reason { try limits.begin("a", isWrite: false, now: self.start) } == nil)
  }

  @Test func aDeviceHasEightStreamsBesideItsRequests() {
    var limits = DeviceLimits()
    for _ in 0..<8 { #expect(self.reason { try limits.beginStream("a", now: self.start) } == nil) }
    #expect(self.reason { try limits.beginStream("a", now: self.start) } == "STREAMS_AT_ONCE")
    #expect(self.reason { try limits.begin("a", isWrite: false, now: self.start) } == nil)
    limits.endStream("a")
    #expect(self.reason { try limits.beginStream("a", now: self.start) } == nil)
  }

  @Test("also if the hub refuses all of them", arguments: [true, false])
  func aDeviceWritesManyThingsAtOnceAndThenTwoASecond(_ isAccepted: Bool) {
    var limits = DeviceLimits()
    func write(_ now: ContinuousClock.Instant) -> String? {
      let reason = self.reason { try limits.begin("a", isWrite: true, now: now) }
      if isAccepted { limits.accept("a") }
      if reason == nil { limits.end("a") }
      return reason
    }
    for _ in 0..<240 { #expect(write(self.start) == nil) }
    #expect(write(self.start) == "TOO_MANY_WRITES")
    #expect(self.reason { try limits.begin("a", isWrite: false, now: self.start) } == nil)
    #expect(write(self.start + .milliseconds(500)) == nil && write(self.start + .milliseconds(600)) != nil)
    let later = self.start + .seconds(10)
    #expect((0..<30).filter { _ in write(later) == nil }.count == 19)
  }

  @Test func memoryIsBoundedWhoeverComes() {
    var limits = DeviceLimits()
    for number in 0..<512 {
      #expect(self.reason { try limits.begin("\(number)", isWrite: true, now: self.start) } == nil)
      limits.accept("\(number)")
      if number > 0 { limits.end("\(number)") }
    }
    #expect(self.reason { try limits.begin("new", isWrite: false, now: self.start) } == "TOO_MANY_DEVICES")
    #expect(self.reason { try limits.begin("0", isWrite: false, now: self.start) } == nil)
    let later = self.start + .seconds(121)
    #expect(self.reason { try limits.begin("new", isWrite: false, now: later) } == nil)
    // A request that is still under way was not forgotten.
    for _ in 0..<6 { #expect(self.reason { try limits.begin("0", isWrite: false, now: later) } == nil) }
    #expect(self.reason { try limits.begin("0", isWrite: false, now: later) } == "REQUESTS_AT_ONCE")
  }

  @Test func madeUpTokensTakeNoPlaces() throws {
    var limits = DeviceLimits()
    for number in 0..<2000 {
      try limits.begin("made up \(number)", isWrite: false, now: .now)
      if number.isMultiple(of: 2) { limits.reject("made up \(number)") }
      limits.end("made up \(number)")
    }
    // They take no place from a device, and give theirs to one.
    for number in 0..<512 { try limits.begin("phone \(number)", isWrite: true, now: .now) }
    #expect(throws: Refusal.self) { try limits.begin("made up", isWrite: false, now: .now) }
    for number in 0..<512 { limits.end("phone \(number)") }
    // A token that is paired after it was tried has the limits of any other.
    try limits.begin("later", isWrite: false, now: .now)
    limits.reject("later")
    for _ in 0..<7 { try limits.begin("later", isWrite: false, now: .now) }
    #expect(throws: Refusal.self) { try limits.begin("later", isWrite: false, now: .now) }
  }

  @Test func fiveCodesAndThenAPause() {
    var limits = AddressLimits()
    for step in 0..<5 { #expect(self.reason { try limits.pair(from: "a", now: self.start + .seconds(step)) } == nil) }
    #expect(self.reason { try limits.pair(from: "a", now: self.start + .seconds(5)) } == "TOO_MANY_CODES")
    #expect(self.reason { try limits.pair(from: "a", now: self.start + .seconds(63)) } == "TOO_MANY_CODES")
    #expect(self.reason { try limits.pair(from: "b", now: self.start + .seconds(5)) } == nil)
    #expect(self.reason { try limits.pair(from: "a", now: self.start + .seconds(64)) } == nil)
  }

  @Test func unknownTokensAreNotLookedAtForEver() {
    var limits = AddressLimits()
    #expect(self.reason { try limits.check("a", now: self.start) } == nil)
    for _ in 0..<30 { limits.countUnknown(from: "a", now: self.start) }
    #expect(self.reason { try limits.check("a", now: self.start) } == "TOO_MANY_TOKENS")
    #expect(self.reason { try limits.check("b", now: self.start) } == nil)
    #expect(self.reason { try limits.check("a", now: self.start + .seconds(1)) } == nil)
  }

  @Test func connectionsInAllAndOfAnAddress() {
    var limits = ConnectionLimits(each: 128)
    let opened = (0..<130).filter { _ in limits.open("a") }.count
    #expect(opened == 128 && limits.count == 128)
    for address in 0..<500 { _ = limits.open("b\(address)") }
    #expect(limits.count == 512 && !limits.open("c"))
    limits.close("a")
    #expect(limits.open("c") && limits.count == 512)
    limits.close("nobody")
    #expect(limits.count == 512)
  }

  @Test func aReaderHasToTakeSomethingInTime() {
    var pace = ReaderPace()
    #expect(pace.deadline == nil)
    pace.send(now: self.start)
    #expect(pace.deadline == self.start + .seconds(30))
    // More that waits gives no more time; a part that is taken does.
    pace.send(now: self.start + .seconds(20))
    #expect(pace.deadline == self.start + .seconds(30))
    pace.take(now: self.start + .seconds(29))
    #expect(pace.deadline == self.start + .seconds(59))
    pace.take(now: self.start + .seconds(50))
    #expect(pace.deadline == nil)
    pace.send(now: self.start + .seconds(500))
    #expect(pace.deadline == self.start + .seconds(530))
  }

  @Test func aConnectionWithoutAStreamEnds() {
    var idle = IdleTime(now: self.start)
    #expect(idle.deadline == self.start + .seconds(10))
    idle.shakeHands(now: self.start + .seconds(9))
    #expect(idle.deadline == self.start + .seconds(84))
    for _ in 0..<2 { idle.begin() }
    #expect(idle.deadline == nil)
    idle.end(now: self.start + .seconds(100))
    #expect(idle.deadline == nil)
    idle.end(now: self.start + .seconds(200))
    #expect(idle.deadline == self.start + .seconds(275))
    idle.begin()
    #expect(idle.deadline == nil)
  }

  @Test func aBodyMayNotTrickleIn() throws {
    var pace = try BodyPace(limit: 1 << 20, length: nil, now: self.start)
    try pace.take(1, now: self.start + .seconds(19))
    let refusal = #expect(throws: Refusal.self) { try pace.take(1, now: self.start + .seconds(30)) }
    #expect(refusal?.status == 408)
    var steady = try BodyPace(limit: 1 << 20, length: nil, now: self.start)
    for second in 1...120 { try steady.take(2048, now: self.start + .seconds(second)) }
    var large = try BodyPace(limit: 10, length: 10, now: self.start)
    #expect(!large.isWhole)
    try large.take(10, now: self.start)
    #expect(large.isWhole)
    #expect(throws: Refusal.self) { try large.take(1, now: self.start) }
  }

  @Test(arguments: [("100", true), ("101", false), ("99999999999999999999", false), ("x", false)])
  func aLengthIsCheckedBeforeTheBody(_ length: String, _ isTaken: Bool) {
    let head = Heads.make("POST", "/", ["content-length": length])
    #expect(
      (self.reason {
        _ = try BodyPace(limit: 100, length: try BodyPace.length(of: head, limit: 100), now: self.start)
      } == nil) == isTaken)
  }
}

@Suite struct SettingsTests {
  private func make(
    listen: String = "0.0.0.0:8443", cert: String? = nil, key: String? = nil, own: Bool = false, proxy: Bool = false,
    insecure: Bool = false, names: [String] = [], proxies: [String] = [], url: String? = nil
  ) throws(Failure) -> Settings {
    try Settings(
      listen: listen, certificate: cert, keyFile: key, ownCA: own, behindProxy: proxy, insecure: insecure,
      names: names, proxies: proxies, url: url)
  }

  @Test func oneWayToEncryptHasToBeSaid() throws {
    #expect(throws: Failure.self) { try self.make() }
    #expect(throws: Failure.self) { try self.make(own: true, insecure: true) }
    #expect(throws: Failure.self) { try self.make(cert: "c") }
    #expect(throws: Failure.self) { try self.make(cert: "c", key: "k", proxy: true) }
    #expect(try self.make(cert: "c", key: "k").protection == .certificate(certificate: "c", key: "k"))
    #expect(try self.make(proxy: true).proxies == AddressRange.loopback)
    #expect(throws: Failure.self) { try self.make(own: true, proxies: ["10.0.0.0/8"]) }
    #expect(throws: Failure.self) { try self.make(proxy: true, proxies: ["proxy"]) }
  }

  @Test(arguments: ["8443", "::1:8443", "host:", "host:70000", ":8443", "[::1]8443", "host:-1"])
  func whereItListens(_ text: String) { #expect(throws: Failure.self) { try self.make(listen: text, own: true) } }

  @Test func itsAddressForPeople() throws {
    let named = try self.make(own: true, names: ["Kith.home.arpa"])
    #expect(named.address(port: 8443, ofMachine: ["pi"]) == "https://kith.home.arpa:8443")
    #expect(named.address(port: 443, ofMachine: []) == "https://kith.home.arpa")
    #expect(try self.make(insecure: true).address(port: 8080, ofMachine: ["pi"]) == "http://pi:8080")
    #expect(try self.make(listen: "[::1]:80", insecure: true).address(port: 80, ofMachine: []) == "http://[::1]")
    #expect(
      try self.make(proxy: true, url: "https://k.example/").address(port: 1, ofMachine: []) == "https://k.example")
    #expect(throws: Failure.self) { try self.make(own: true, url: "kith.example") }
  }

  @Test func theNamesThatItIsReachedBy() throws {
    let names = try self.make(listen: "192.168.1.5:8443", own: true, names: ["a.example"], url: "https://b.example:1/x")
      .hostNames(ofMachine: ["pi", "10.0.0.3"])
    for host in ["a.example:8443", "b.example", "192.168.1.5:8443", "localhost", "[::1]:1", "pi", "10.0.0.3"] {
      #expect(names.has(host), "\(host)")
    }
    #expect(!names.has("c.example") && !names.has("0.0.0.0"))
  }
}
