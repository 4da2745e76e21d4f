import Bus
import Foundation
import KithMessages
import TestKit
import Testing

@testable import Certificates

/// Runs `openssl` in a folder.
///
/// - Returns: Its exit status, and what it printed.
@discardableResult
func openssl(_ arguments: String..., in folder: String) throws -> (status: Int32, text: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
  process.arguments = arguments
  process.currentDirectoryURL = URL(fileURLWithPath: folder)
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  process.standardInput = FileHandle.nullDevice
  try process.run()
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}

@Suite(.timeLimit(.minutes(5))) struct AuthorityTests {
  private static let day: Int64 = 86_400 * 1_000_000_000
  private let place: TemporaryDirectory
  private let now = WallClock.nanoseconds()

  init() throws { self.place = try TemporaryDirectory() }

  private func authority(_ names: [String] = ["kith.home.arpa", "192.168.1.10"], now: Int64? = nil) throws -> Authority
  {
    try Authority(folder: self.place.path, names: names, now: now ?? self.now)
  }

  /// What an authority made before it was let go of.
  private func made() throws -> (der: [UInt8], leaf: ServedCertificate) {
    let authority = try self.authority()
    return (authority.der, try authority.leaf(now: self.now))
  }

  private func verifies(_ leaf: ServedCertificate, by authority: Authority, as name: String, isStrict: Bool = true)
    throws -> (Int32, String)
  {
    try Data(leaf.chainPEM).write(to: URL(fileURLWithPath: self.place.path + "/leaf.pem"))
    try Data(authority.der).write(to: URL(fileURLWithPath: self.place.path + "/ca.der"))
    try openssl("x509", "-inform", "DER", "-in", "ca.der", "-out", "ca.pem", in: self.place.path)
    let kind = Authority.isAddress(name) ? "-verify_ip" : "-verify_hostname"
    let told = try openssl(
      "verify", isStrict ? "-x509_strict" : "-trusted_first", "-purpose", "sslserver", "-CAfile", "ca.pem", kind, name,
      "leaf.pem", in: self.place.path)
    return (told.status, told.text)
  }

  @Test("openssl accepts the certificate for each of its names, and for no other")
  func names() throws {
    let authority = try self.authority(["kith.home.arpa", "kith.local", "192.168.1.10", "fd00::1"])
    let leaf = try authority.leaf(now: self.now)
    for name in ["kith.home.arpa", "kith.local", "192.168.1.10", "fd00::1"] {
      let (status, text) = try self.verifies(leaf, by: authority, as: name)
      #expect(status == 0, "\(name): \(text)")
      #expect(leaf.names(name))
    }
    #expect(try self.verifies(leaf, by: authority, as: "bank.example").0 != 0)
    #expect(!leaf.names("bank.example"))
  }

  @Test(
    "what a thief of the key signs for a name outside a home is refused",
    arguments: [("bank.example", "DNS"), ("8.8.8.8", "IP"), ("kith.home.arpa", "DNS")])
  func constraints(name: String, kind: String) throws {
    let own = try self.authority()
    try openssl(
      "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "thief.key", "-out",
      "thief.csr", "-subj", "/CN=thief", "-addext", "subjectAltName=\(kind):\(name)", in: self.place.path)
    let signed = try openssl(
      "x509", "-req", "-in", "thief.csr", "-CA", "authority.pem", "-CAkey", "authority.pem", "-copy_extensions", "copy",
      "-days", "30", "-out", "thief.pem", in: self.place.path)
    #expect(signed.status == 0, "\(signed.text)")
    func bytes(_ file: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: "\(self.place.path)/\(file)")))
    }
    let leaf = try ServedCertificate(chainPEM: bytes("thief.pem"), keyPEM: bytes("thief.key"), from: "thief.pem")
    #expect(leaf.names(name))
    let (status, text) = try self.verifies(leaf, by: own, as: name, isStrict: false)
    if name.hasSuffix("home.arpa") {
      #expect(status == 0, "the thief's certificate is whole: \(text)")
    } else {
      #expect(status != 0 && text.contains("permitted subtree violation"), "\(text)")
    }
  }

  @Test("it is critical that the authority signs no other authority, and only names of a home")
  func extensions() throws {
    let authority = try self.authority()
    try Data(authority.der).write(to: URL(fileURLWithPath: self.place.path + "/ca.der"))
    let text = try openssl("x509", "-inform", "DER", "-in", "ca.der", "-noout", "-text", in: self.place.path).text
    #expect(text.contains("X509v3 Basic Constraints: critical") && text.contains("CA:TRUE, pathlen:0"))
    #expect(text.contains("X509v3 Name Constraints: critical") && text.contains("DNS:home.arpa"))
    #expect(text.contains("NIST CURVE: P-256"))
    #expect(
      try openssl("x509", "-inform", "DER", "-in", "ca.der", "-noout", "-fingerprint", "-sha256", in: self.place.path)
        .text.contains(fingerprint(ofDER: authority.der)))
  }

  @Test("the same authority and certificate are used again, and a certificate is renewed 60 days before its end")
  func renewal() throws {
    let (der, leaf) = try self.made()
    #expect(leaf.expires == self.now / 1_000_000_000 * 1_000_000_000 + 397 * Self.day)
    let again = try self.authority()
    #expect(again.der == der)
    #expect(try again.leaf(now: self.now + 336 * Self.day) == leaf)
    let renewed = try again.leaf(now: self.now + 338 * Self.day)
    #expect(renewed != leaf && renewed.expires > leaf.expires)
    #expect(try self.verifies(renewed, by: again, as: "kith.home.arpa").0 != 0, "not valid yet by today's clock")
    // A clock that is set back: the renewed one is not valid yet.
    #expect(try again.leaf(now: self.now).expires == leaf.expires)
  }

  @Test("a name that is added makes a new certificate of the same authority")
  func anotherName() throws {
    let leaf = try self.made().leaf
    let wider = try self.authority(["kith.home.arpa", "192.168.1.10", "192.168.1.11"])
    let second = try wider.leaf(now: self.now)
    #expect(second != leaf && second.names("192.168.1.11"))
    #expect(try self.verifies(second, by: wider, as: "192.168.1.11").0 == 0)
  }

  @Test("the files are for their owner alone, and hold a certificate and its key together")
  func files() throws {
    _ = try self.authority().leaf(now: self.now)
    for name in ["authority.pem", "certificate.pem"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(self.place.path)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    // A process that was killed before the rename leaves a part, which is written over.
    try Data("half".utf8).write(to: URL(fileURLWithPath: self.place.path + "/certificate.pem.part"))
    try FileManager.default.removeItem(atPath: self.place.path + "/certificate.pem")
    #expect(try self.authority().leaf(now: self.now).names("kith.home.arpa"))
  }

  @Test("an authority that others can read, or that is damaged, is refused by name", arguments: [0o644, 0o600])
  func damaged(mode: Int) throws {
    _ = try self.authority()
    let path = self.place.path + "/authority.pem"
    if mode == 0o600 { try Data("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8).write(to: URL(fileURLWithPath: path)) }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    let failure = #expect(throws: Failure.self) { try self.authority() }
    #expect(failure?.reason == (mode == 0o600 ? "CERTIFICATE_UNUSABLE" : "SECRET_UNREADABLE"))
    #expect(failure?.message.contains("authority.pem") == true)
  }

  @Test("an authority near its end asks for a new one instead of signing what outlives it")
  func end() throws {
    _ = try self.authority()
    let failure = #expect(throws: Failure.self) { try self.authority(now: self.now + 3300 * Self.day) }
    #expect(failure?.message.contains("install the new authority") == true)
  }

  @Test("the profile for iPhones is a property list with the certificate in it")
  func profile() throws {
    let authority = try self.authority()
    let list = try #require(
      PropertyListSerialization.propertyList(from: Data(authority.appleProfile.utf8), format: nil) as? [String: Any])
    let payload = try #require((list["PayloadContent"] as? [[String: Any]])?.first)
    #expect(payload["PayloadContent"] as? Data == Data(authority.der))
    #expect(UUID(uuidString: list["PayloadUUID"] as? String ?? "") != nil)
    #expect(UUID(uuidString: payload["PayloadUUID"] as? String ?? "") != nil)
    let profile = authority.appleProfile
    #expect(profile.contains("kith.authority") && authority.appleProfile == profile)
  }

  @Test("an address outside of a home's networks is permitted when the authority is made for it")
  func addressOfTailscale() throws {
    let authority = try self.authority(["kith.home.arpa", "100.64.1.2", "kith.example.org"])
    #expect(authority.refusedNames.isEmpty)
    let leaf = try authority.leaf(now: self.now)
    for name in ["kith.home.arpa", "100.64.1.2", "kith.example.org"] {
      #expect(try self.verifies(leaf, by: authority, as: name).0 == 0)
    }
  }

  @Test("a name that the authority may not sign for is left out and told, so that the other names go on")
  func nameOutside() throws {
    _ = try self.made()
    do {
      let authority = try self.authority(["kith.home.arpa", "kith.example.org", "100.64.1.2"])
      #expect(authority.refusedNames == ["kith.example.org", "100.64.1.2"])
      #expect(try self.verifies(try authority.leaf(now: self.now), by: authority, as: "kith.home.arpa").0 == 0)
      let fault = try CertificateStore(.authority(authority)).refresh()
      #expect(fault?.contains("was made without kith.example.org, 100.64.1.2") == true)
    }
    let failure = #expect(throws: Failure.self) { try self.authority(["kith.example.org"]) }
    #expect(failure?.message.contains("made for other names than kith.example.org") == true)
  }

  @Test(
    "a name that has a meaning in OpenSSL's notation is refused",
    arguments: [
      "a,permitted;DNS:com", "copy:x/", "", ".", "a..b", "-a", "*.home.arpa", "1.2.3.4/8", "a b", "[::1]",
    ])
  func noName(name: String) throws {
    let failure = #expect(throws: Failure.self) { try self.authority(["kith.home.arpa", name]) }
    #expect(failure?.reason == "FIELD_INVALID")
    #expect(!FileManager.default.fileExists(atPath: self.place.path + "/authority.pem"))
  }

  @Test("a long name, and a folder that does not exist yet")
  func longName() throws {
    let name = Array(repeating: String(repeating: "a", count: 60), count: 3).joined(separator: ".") + ".home.arpa"
    let authority = try Authority(folder: self.place.path + "/new/web", names: [name], now: self.now)
    #expect(try self.verifies(try authority.leaf(now: self.now), by: authority, as: name).0 == 0)
  }

  @Test("two users of one folder: the second one is told who the first is")
  func twoAtOnce() throws {
    let first = try self.authority()
    let failure = #expect(throws: Failure.self) { try self.authority() }
    #expect(failure?.reason == "AUTHORITY_IN_USE")
    #expect(failure?.message.contains("(\(ProcessInfo.processInfo.processIdentifier))") == true)
    withExtendedLifetime(first) {}
  }

  @Test("no authority is made while the clock stands at the beginning")
  func unsetClock() throws {
    let failure = #expect(throws: Failure.self) { try self.authority(now: 60 * 1_000_000_000) }
    #expect(failure?.reason == "CLOCK_UNSET")
    #expect(!FileManager.default.fileExists(atPath: self.place.path + "/authority.pem"))
  }
}
