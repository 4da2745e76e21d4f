import Bus
import Certificates
import Foundation
import KithMessages
import Synchronization
import TestKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct CertificateStoreTests {
  private static let day: Int64 = 86_400 * 1_000_000_000
  private let place: TemporaryDirectory

  init() throws { self.place = try TemporaryDirectory() }

  private func path(_ name: String) -> String { "\(self.place.path)/\(name)" }

  /// Makes a certificate by openssl.
  private func make(_ name: String, days: Int = 30) throws {
    let told = try openssl(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "\(name).key",
      "-out",
      "\(name).pem", "-days", "\(days)", "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:\(name)",
      in: self.place.path)
    #expect(told.status == 0, "\(told.text)")
  }

  /// Puts other files in the place of those that the store reads, as a program that renews them does.
  private func put(_ certificate: String, _ key: String) throws {
    for (from, to) in [(certificate, "cert.pem"), (key, "key.pem")] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: self.path(from)))
      try bytes.write(to: URL(fileURLWithPath: self.path(to)), options: .atomic)
    }
  }

  private func store(clock: @escaping @Sendable () -> Int64 = WallClock.nanoseconds) throws -> CertificateStore {
    try CertificateStore(.files(certificate: self.path("cert.pem"), key: self.path("key.pem")), clock: clock)
  }

  @Test("files that are replaced are taken over; those that cannot be used leave the earlier ones in use")
  func reload() throws {
    try self.make("one.example")
    try self.make("two.example")
    try self.put("one.example.pem", "one.example.key")
    let store = try self.store()
    #expect(store.refresh() == nil && store.current.names("one.example") && store.current.generation == 1)

    // Between the two files of a renewal.
    try self.put("two.example.pem", "one.example.key")
    #expect(store.refresh()?.contains("the key belongs to another certificate") == true)
    #expect(store.current.names("one.example"))
    #expect(store.refresh() != nil, "it is told until it is mended")

    try self.put("two.example.pem", "two.example.key")
    #expect(store.refresh() == nil)
    #expect(store.current.names("two.example") && store.current.generation == 2)

    try FileManager.default.removeItem(atPath: self.path("key.pem"))
    #expect(store.refresh()?.contains("key.pem cannot be used: it cannot be read") == true)
    #expect(store.current.names("two.example"))
  }

  @Test("an expired certificate is served and reported")
  func expired() throws {
    try self.make("one.example", days: 3)
    try self.put("one.example.pem", "one.example.key")
    let clock = ClockOfTest()
    let store = try self.store { clock.now }
    #expect(store.refresh() == nil)
    clock.advance(by: 4 * Self.day)
    #expect(store.refresh()?.contains("has expired") == true)
    #expect(store.current.names("one.example"))
  }

  @Test("a clock that is set right ends the fault, though the files did not change")
  func clockSetRight() throws {
    try self.make("one.example")
    try self.put("one.example.pem", "one.example.key")
    let clock = ClockOfTest()
    clock.advance(by: -2 * Self.day)
    let store = try self.store { clock.now }
    #expect(store.refresh()?.contains("Check the clock") == true)
    clock.advance(by: 2 * Self.day + 60_000_000_000)
    #expect(store.refresh() == nil)
  }

  @Test("what is no file is refused at once, and not read without end")
  func noFile() throws {
    let failure = #expect(throws: Failure.self) {
      try CertificateStore(.files(certificate: "/dev/zero", key: "/dev/zero"))
    }
    #expect(failure?.message.contains("/dev/zero cannot be used") == true)
  }

  @Test("a certificate of the own authority is renewed while it is served")
  func renewed() throws {
    let clock = ClockOfTest()
    let authority = try Authority(folder: self.place.path, names: ["kith.home.arpa"], now: clock.now)
    let store = try CertificateStore(.authority(authority)) { clock.now }
    let first = store.current
    #expect(store.refresh() == nil && store.current == first)
    clock.advance(by: 340 * Self.day)
    #expect(store.refresh() == nil)
    #expect(store.current.generation == 2 && store.current.expires > first.expires)
  }

  @Test("files that cannot be used are refused at the start, with why")
  func refused() throws {
    try self.make("one.example")
    try self.make("two.example")
    func fault() throws -> String {
      try #require(#expect(throws: Failure.self) { try self.store() }).message
    }
    #expect(try fault().contains("cert.pem cannot be used: it cannot be read"))
    try self.put("one.example.pem", "two.example.key")
    #expect(try fault().contains("the key belongs to another certificate"))
    try self.put("one.example.key", "one.example.key")
    #expect(try fault().contains("no certificate in PEM form"))
    try openssl(
      "pkey", "-in", "one.example.key", "-aes128", "-passout", "pass:x", "-out", "locked.key", in: self.place.path)
    try self.put("one.example.pem", "locked.key")
    #expect(try fault().contains("without a password"))
    let both = try ["one.example.pem", "two.example.pem"].map {
      try Data(contentsOf: URL(fileURLWithPath: self.path($0)))
    }
    try (both[0] + both[1]).write(to: URL(fileURLWithPath: self.path("chain.pem")))
    try self.put("chain.pem", "one.example.key")
    #expect(try fault().contains("not in order"))
  }
}

/// A clock that a test advances.
final class ClockOfTest: Sendable {
  private let moment = Mutex(WallClock.nanoseconds())

  var now: Int64 { self.moment.withLock { $0 } }

  func advance(by nanoseconds: Int64) { self.moment.withLock { $0 += nanoseconds } }
}
