import Bus
import KithMessages
import Testing

@testable import WebRules

/// Heads of requests for tests.
enum Heads {
  static let token = "kith_" + String(repeating: "a", count: 43)

  static func make(
    _ verb: String, _ target: String, _ fields: [String: String] = [:], host: String = "kith.home.arpa:8443",
    peer: String = "192.168.1.20"
  ) -> RequestHead {
    var head = RequestHead(verb: verb, target: target, authority: host, peer: peer)
    for (name, value) in fields { head.fields[name] = [value] }
    return head
  }
}

@Suite struct AdmissionTests {
  private let admission = Admission(names: HostNames(["kith.home.arpa"]), isTLS: true)
  private let cookie = "__Host-kith=\(Heads.token).20000"
  private let bearer = "Bearer \(Heads.token)"

  private func status(_ head: RequestHead) -> Int {
    do throws(Refusal) {
      _ = try self.admission.admit(head)
      return 200
    } catch {
      return error.status
    }
  }

  @Test(arguments: [
    ("kith.home.arpa", 200), ("kith.home.arpa:8443", 200), ("KITH.home.arpa.", 200), ("evil.example", 421),
    ("kith.home.arpa.evil.example", 421), ("", 421), ("192.168.1.9", 421), ("kith.home.arpa:80:80", 421),
  ]) func aHostThatIsNotOursIsRefused(_ host: String, _ expected: Int) {
    #expect(self.status(Heads.make("GET", "/", host: host)) == expected)
  }

  @Test(arguments: [
    ("GET", "/", 200), ("HEAD", "/healthz", 200), ("POST", "/", 405), ("PUT", "/events", 405), ("GET", "/nowhere", 404),
    ("GET", "/kith.v1.Care/List", 401), ("POST", "/kith.v1.Care/Nothing", 404), ("GET", "/kith.v1.Care/Record", 405),
    ("POST", "/kith.v1.Transcriber/Transcribe", 404), ("GET", "/blobs/abc", 400), ("GET", "/leave", 405),
    ("GET", "/kith.v1.System/Cancel", 405), ("GET", "/kith.v1.Devices/List", 405), ("GET", "/metrics", 401),
    ("GET", "/favicon.ico", 200),
  ]) func aPathHasItsMethodsOfHTTP(_ verb: String, _ path: String, _ expected: Int) {
    #expect(self.status(Heads.make(verb, path)) == expected)
  }

  @Test func aRefusedMethodNamesTheOthers() throws {
    let refusal = #expect(throws: Refusal.self) { try self.admission.admit(Heads.make("DELETE", "/kith.v1.Care/List")) }
    #expect(refusal?.fields["Allow"] == "POST, GET")
  }

  @Test func noMethodThatChangesSomethingIsReachedByALink() {
    for method in Methods.all where method.isRead {
      #expect(!method.isMutating && !method.isLongRunning && method.role != .worker && method.role != .admin)
    }
    #expect(Methods.careList.isRead && Methods.systemWhoami.isRead && !Methods.devicesInvite.isRead)
  }

  @Test func aHeadThatIsTooLargeIsRefused() {
    let long = String(repeating: "a", count: 16 << 10)
    #expect(self.status(Heads.make("GET", "/", ["x-long": long])) == 431)
    #expect(self.status(Heads.make("GET", "/?\(long)")) == 431)
    #expect(self.status(Heads.make("GET", "/", ["x-long": String(long.dropLast(512))])) == 200)
  }

  // MARK: - Other sites

  @Test(arguments: [
    (["sec-fetch-site": "same-origin"], 200), (["sec-fetch-site": "cross-site"], 403),
    (["sec-fetch-site": "same-site"], 403), (["sec-fetch-site": "none"], 403),
    (["origin": "https://kith.home.arpa:8443"], 200), (["origin": "https://kith.home.arpa"], 403),
    (["origin": "http://kith.home.arpa:8443"], 403), (["origin": "null"], 403), ([:], 403),
    (["sec-fetch-site": "cross-site", "origin": "https://kith.home.arpa:8443"], 403),
  ]) func aCookieDoesNotCountForAPageOfAnotherSite(_ fields: [String: String], _ expected: Int) {
    let head = Heads.make("POST", "/kith.v1.Care/Record", fields.merging(["cookie": self.cookie]) { $1 })
    #expect(self.status(head) == expected)
  }

  @Test(arguments: ["cross-site", "same-site", "none", "same-origin"])
  func aTokenInTheHeaderNeedsNoSite(_ site: String) {
    #expect(
      self.status(
        Heads.make("POST", "/kith.v1.Care/Record", ["authorization": self.bearer, "sec-fetch-site": site])) == 200)
  }

  @Test func aLinkOfAnotherSiteOpensPagesAlone() {
    let fields = ["cookie": self.cookie, "sec-fetch-site": "cross-site"]
    #expect(self.status(Heads.make("GET", "/", fields)) == 200)
    #expect(self.status(Heads.make("GET", "/pair", fields)) == 200)
    for path in ["/kith.v1.Care/List", "/events", "/metrics", "/blobs/\(String(repeating: "0", count: 64))"] {
      #expect(self.status(Heads.make("GET", path, fields)) == 403)
    }
  }

  @Test func anotherSiteCannotPairABrowser() {
    #expect(self.status(Heads.make("POST", "/pair", ["sec-fetch-site": "cross-site"])) == 403)
    #expect(self.status(Heads.make("POST", "/pair", ["origin": "https://evil.example"])) == 403)
  }

  @Test func whereABrowserIsTooOldToSayTheFormHasToShow() throws {
    #expect(try self.admission.admit(Heads.make("POST", "/pair")).needsFormToken)
    #expect(try self.admission.admit(Heads.make("POST", "/leave", ["cookie": self.cookie])).needsFormToken)
    let origin = ["origin": "https://kith.home.arpa:8443"]
    #expect(try !self.admission.admit(Heads.make("POST", "/pair", origin)).needsFormToken)
    #expect(try !self.admission.admit(Heads.make("POST", "/leave", ["authorization": self.bearer])).needsFormToken)
  }

  // MARK: - Tokens

  @Test(arguments: [
    "Bearer", "Bearer x", "Basic \(Heads.token)", "Bearer \(Heads.token)x", "Bearer  ", "Bearer \(Heads.token) y",
    "Bearer kith_\(String(repeating: "é", count: 22))",
  ]) func whatIsNoTokenIsRefused(_ field: String) {
    #expect(self.status(Heads.make("GET", "/events", ["authorization": field])) == 401)
  }

  @Test func aHeaderComesBeforeACookie() throws {
    let other = "kith_" + String(repeating: "b", count: 43)
    let head = Heads.make("GET", "/events", ["authorization": "bearer \(other)", "cookie": self.cookie])
    #expect(try self.admission.admit(head).credential == Credential(token: other, place: .header))
  }

  @Test func aCookieOfAPlainConnectionNeverStandsForTheOther() throws {
    #expect(self.status(Heads.make("GET", "/events", ["cookie": "kith-plain=\(Heads.token).1"])) == 401)
    let plain = Admission(names: HostNames(["kith.home.arpa"]), isTLS: false)
    #expect(throws: Refusal.self) { try plain.admit(Heads.make("GET", "/events", ["cookie": self.cookie])) }
    let head = Heads.make("GET", "/events", ["cookie": "a=b; kith-plain=\(Heads.token).7; c=d"])
    #expect(try plain.admit(head).credential?.place == .cookie(day: 7))
  }

  /// A number that no calendar has ended the process once.
  @Test(arguments: ["-9223372036854775808", "9223372036854775807", "x", "", "99999999999999999999", "-1"])
  func theDayOfACookieIsAnybodysWord(_ day: String) throws {
    let head = Heads.make("GET", "/", ["cookie": "__Host-kith=\(Heads.token).\(day)"])
    let credential = try #require(try self.admission.admit(head).credential)
    #expect(credential.place == .cookie(day: 0))
    #expect(SessionCookie.isDue(setOn: 0, today: 20_000))
  }

  @Test func aCookieIsSetAgainAfterAMonth() {
    #expect(!SessionCookie.isDue(setOn: 20_000, today: 20_029) && SessionCookie.isDue(setOn: 20_000, today: 20_030))
    // The clock was ahead.
    #expect(SessionCookie.isDue(setOn: 20_001, today: 20_000))
    #expect(
      SessionCookie.set(Heads.token, day: 5, .tls)
        == "__Host-kith=\(Heads.token).5; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure")
    #expect(!SessionCookie.set(Heads.token, day: 5, .plain).contains("Secure"))
    #expect(SessionCookie.cleared(.tls).contains("__Host-kith=; Path=/; Max-Age=0;"))
  }

  @Test func tokensAreRandomAndHaveTheirForm() {
    let tokens = Set((0..<100).map { _ in Token.make() })
    #expect(tokens.count == 100 && tokens.allSatisfy(Token.isValid))
    // As `printf %s kith_aaa… | sha256sum`.
    #expect(Token.digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}

/// Who really asks, and how the bytes travel.
@Suite struct CallerTests {
  private let loopback = AddressRange.loopback

  private func caller(
    _ fields: [String: String], peer: String = "127.0.0.1", host: String = "127.0.0.1:8080", proxies: [AddressRange]
  ) -> Caller {
    Caller(of: Heads.make("GET", "/", fields, host: host, peer: peer), isTLS: false, proxies: proxies)
  }

  @Test func fieldsOfAProxyCountFromTrustedAddressesAlone() {
    let fields = [
      "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "x-forwarded-host": "kith.example",
    ]
    let trusted = self.caller(fields, proxies: self.loopback)
    #expect(trusted.address == "203.0.113.9" && trusted.way == .tls && trusted.authority == "kith.example")
    #expect(trusted.origin == "https://kith.example")
    let other = self.caller(fields, peer: "192.168.1.66", host: "kith.home.arpa", proxies: self.loopback)
    #expect(other.address == "192.168.1.66" && other.way == .plain && other.authority == "kith.home.arpa")
  }

  @Test(arguments: [
    ("198.51.100.1, 203.0.113.9", "203.0.113.9"), ("203.0.113.9, 127.0.0.1", "203.0.113.9"),
    ("203.0.113.9:4711", "203.0.113.9"), ("[2001:db8::1]:4711", "2001:db8::1"), ("unknown", "127.0.0.1"),
    ("<script>", "127.0.0.1"), ("127.0.0.1, 127.0.0.2", "127.0.0.1"),
  ]) func theLastAddressThatNoProxyWroteCounts(_ chain: String, _ expected: String) {
    #expect(self.caller(["x-forwarded-for": chain], proxies: self.loopback).address == expected)
  }

  @Test func aConnectionWithinTheMachineIsNoPlainOne() {
    #expect(self.caller([:], host: "localhost:8080", proxies: []).way == .loopback)
    #expect(self.caller([:], peer: "::1", host: "[::1]:8080", proxies: []).way == .loopback)
    #expect(self.caller([:], host: "kith.home.arpa", proxies: []).way == .plain)
    #expect(self.caller([:], peer: "192.168.1.2", host: "localhost", proxies: []).way == .plain)
  }

  @Test func aProxyThatDoesNotSayForWhomItAsksIsNotWithinTheMachine() {
    #expect(self.caller([:], proxies: self.loopback).way == .plain)
    #expect(self.caller(["x-forwarded-for": "192.168.1.7"], proxies: self.loopback).way == .plain)
    #expect(self.caller(["x-forwarded-for": "127.0.0.1"], proxies: self.loopback).way == .loopback)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.168.1.128/25", "192.168.1.127", false),
    ("192.168.1.128/25", "192.168.1.129", true), ("0.0.0.0/0", "8.8.8.8", true), ("fd00::/8", "fd12::1", true),
    ("fd00::/8", "fe80::1%eth0", false), ("127.0.0.1", "::ffff:127.0.0.1", true), ("10.0.0.0/8", "::1", false),
    ("10.0.0.0/8", "name", false),
  ]) func rangesOfAddresses(_ range: String, _ address: String, _ expected: Bool) {
    #expect(AddressRange(range)?.has(address) == expected)
  }

  @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "fd00::/129", "10.0.0/8", "a/8", "10.0.0.0/8/8", "10.0.0.0/"])
  func whatIsNoRange(_ text: String) { #expect(AddressRange(text) == nil) }
}
