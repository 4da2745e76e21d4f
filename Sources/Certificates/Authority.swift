public import Bus
internal import CCertificates
internal import EventLoop
internal import Foundation
internal import Glibc
internal import KithMessages
internal import Secrets

/// A certificate authority of the household, kept in one file with its key, and the certificate of the server that it has signed.
///
/// Name constraints limit what the authority may sign to names and addresses of a home, so that its key, if it is stolen, is good for
/// nothing else. Phones trust it once it is installed on them.
///
/// ```swift
/// let authority = try Authority(folder: stateDirectory, names: ["kith.home.arpa"], now: WallClock.nanoseconds())
/// let served = try authority.leaf(now: WallClock.nanoseconds())
/// ```
public struct Authority: Sendable {
  /// Days of the authority, of a certificate that it signs, and before the end of one at which it is renewed.
  static let days = (authority: Int64(3653), leaf: Int64(397), renewal: Int64(60))
  private static let day: Int64 = 86_400 * 1_000_000_000
  /// How far a phone's clock may be behind.
  private static let backdated = Self.day
  /// 1 January 2026: a clock that says less was not set after the machine's start.
  private static let earliest: Int64 = 1_767_225_600 * 1_000_000_000

  /// The names and addresses that the authority may not sign for, because it was made for others. The certificate is without them.
  public let refusedNames: [String]
  /// Held as long as the authority is in use: two processes would each make one, and one of both would be lost.
  private let lock: LockFile
  private let file: SecretFile
  private let leafFile: SecretFile
  private let names: [String]
  private let pair: (certificate: [UInt8], key: [UInt8])

  /// Reads the authority of a folder, or makes it.
  ///
  /// - Parameters:
  ///   - folder: Its own folder, which is made if it is missing.
  ///   - names: The names and addresses by which devices reach the server.
  ///   - now: Nanoseconds since 1970.
  /// - Throws: `FAILED_PRECONDITION` with `CERTIFICATE_UNUSABLE`, `AUTHORITY_IN_USE`, `CLOCK_UNSET`, `SECRET_UNREADABLE` or
  ///   `SECRET_NOT_KEPT`; `INVALID_ARGUMENT/FIELD_INVALID` for a name that is none.
  public init(folder: String, names: [String], now: Int64) throws(Failure) {
    for name in names where !Self.isName(name) {
      throw .invalid(field: "name", "'\(name)' is no name of a host, such as kith.home.arpa, and no address.")
    }
    self.file = SecretFile(path: "\(folder)/authority.pem")
    self.leafFile = SecretFile(path: "\(folder)/certificate.pem")
    try self.file.makeDirectories()
    self.lock = try Self.lock(folder)
    if let text = try self.file.read() {
      self.pair = Self.parts(text)
      let known = try ServedCertificate(chainPEM: self.pair.certificate, keyPEM: self.pair.key, from: self.file.path)
      guard now < known.expires - Self.days.leaf * Self.day else {
        throw .unusableCertificate(
          self.file.path,
          "the authority ends soon. Move the file away, start again, and install the new authority on each device")
      }
    } else {
      guard now >= Self.earliest else {
        throw Failure(
          .failedPrecondition, "CLOCK_UNSET",
          "The clock of this machine is years behind, and an authority made now would have ended already. Set the clock: "
            + "timedatectl set-ntp true")
      }
      self.pair = try Self.made(for: names, now: now)
      try self.file.write(Self.text(self.pair))
    }
    let authority = self.pair.certificate
    self.refusedNames = names.filter { !Self.permits(authority, $0) }
    self.names = names.filter { Self.permits(authority, $0) }
    guard !self.names.isEmpty else {
      throw .unusableCertificate(
        self.file.path,
        "the authority was made for other names than \(names.joined(separator: ", ")). Move the file away, start again, "
          + "and install the new authority on each device")
    }
  }

  /// What a person has to do about ``refusedNames``; nil = nothing.
  var fault: String? {
    guard !self.refusedNames.isEmpty else { return nil }
    return
      "The authority was made without \(self.refusedNames.joined(separator: ", ")), so devices refuse that address. "
      + "Use another name, or move \(self.file.path) away, start kith-web again and install the new authority on each device."
  }

  private static func lock(_ folder: String) throws(Failure) -> LockFile {
    let path = "\(folder)/authority.lock"
    do throws(LockFile.Refusal) {
      return try LockFile(path: path)
    } catch {
      switch error {
      case .held(let holder):
        throw Failure(
          .failedPrecondition, "AUTHORITY_IN_USE",
          "Another process\(holder.map { " (\($0))" } ?? "") uses the authority in \(folder). Stop it, or give this one a "
            + "folder of its own: --state-dir")
      case .system(let call, let code):
        throw .unusableCertificate(path, "\(call) failed with error \(code). Check the folder and its permissions")
      }
    }
  }

  /// The name as x509v3_config(5) writes it.
  private static func alternative(_ name: String) -> String { Self.isAddress(name) ? "IP:\(name)" : "DNS:\(name)" }

  private static func permits(_ authority: [UInt8], _ name: String) -> Bool {
    // The array and the string outlive the call.
    unsafe kith_authority_permits(authority, authority.count, Self.alternative(name))
  }

  /// The authority's certificate as DER, for devices to install.
  public var der: [UInt8] { ServedCertificate.der(of: self.pair.certificate) }

  /// A profile that installs the authority on an iPhone or iPad: Apple's Configuration Profile Reference, "Certificate payload".
  ///
  /// The identifiers follow from the certificate, so that installing it again replaces it.
  public var appleProfile: String {
    let digest = Array(fingerprint(ofDER: self.der).filter { $0 != ":" })
    func uuid(_ start: Int) -> String {
      let lengths = [8, 4, 4, 4, 12]
      var at = start
      return lengths.map { length in
        defer { at += length }
        return String(digest[at..<(at + length)])
      }.joined(separator: "-")
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
        <key>PayloadContent</key><array><dict>
          <key>PayloadCertificateFileName</key><string>kith.crt</string>
          <key>PayloadContent</key><data>\(Data(self.der).base64EncodedString())</data>
          <key>PayloadDisplayName</key><string>Kith at home</string>
          <key>PayloadIdentifier</key><string>kith.authority.certificate</string>
          <key>PayloadType</key><string>com.apple.security.root</string>
          <key>PayloadUUID</key><string>\(uuid(0))</string>
          <key>PayloadVersion</key><integer>1</integer>
        </dict></array>
        <key>PayloadDisplayName</key><string>Kith at home</string>
        <key>PayloadDescription</key><string>Lets this device trust the Kith of your home.</string>
        <key>PayloadIdentifier</key><string>kith.authority</string>
        <key>PayloadType</key><string>Configuration</string>
        <key>PayloadUUID</key><string>\(uuid(32))</string>
        <key>PayloadVersion</key><integer>1</integer>
      </dict></plist>
      """
  }

  /// The server's certificate: the stored one, or a new one if it ends soon, lacks a name, or cannot be read.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  /// - Throws: As ``init(folder:names:now:)``.
  public func leaf(now: Int64) throws(Failure) -> ServedCertificate {
    if let known = try? self.stored(), self.isGood(known, now: now) { return known }
    var made = unsafe kith_pair()
    var error = [CChar](repeating: 0, count: 256)
    let seconds = now / 1_000_000_000
    // The arrays and strings outlive the call; `error` has the size that is given.
    let isMade = unsafe kith_make_leaf(
      self.pair.certificate, self.pair.certificate.count, self.pair.key, self.pair.key.count, "kith-web",
      self.names.map(Self.alternative).joined(separator: ","),
      seconds - Self.backdated / 1_000_000_000, seconds + Self.days.leaf * 86_400, &made, &error, error.count)
    guard isMade else { throw .unusableCertificate(self.leafFile.path, Self.words(error)) }
    let pair = (certificate: unsafe take(made.certificate), key: unsafe take(made.key))
    let leaf = try ServedCertificate(chainPEM: pair.certificate, keyPEM: pair.key, from: self.leafFile.path)
    try self.leafFile.write(Self.text(pair))
    return leaf
  }

  private func stored() throws(Failure) -> ServedCertificate? {
    guard let text = try self.leafFile.read() else { return nil }
    let (certificate, key) = Self.parts(text)
    return try ServedCertificate(chainPEM: certificate, keyPEM: key, from: self.leafFile.path)
  }

  private func isGood(_ leaf: ServedCertificate, now: Int64) -> Bool {
    leaf.begins <= now && now < leaf.expires - Self.days.renewal * Self.day && self.names.allSatisfy(leaf.names)
      && ServedCertificate.isSigned(leaf.chainPEM, by: self.pair.certificate)
  }

  private static func made(for names: [String], now: Int64) throws(Failure) -> (certificate: [UInt8], key: [UInt8]) {
    var made = unsafe kith_pair()
    var error = [CChar](repeating: 0, count: 256)
    let seconds = now / 1_000_000_000
    // The strings outlive the call; `error` has the size that is given.
    let isMade = unsafe kith_make_authority(
      "Kith at home", Self.constraints(for: names), seconds - Self.backdated / 1_000_000_000,
      seconds + Self.days.authority * 86_400, &made, &error, error.count)
    guard isMade else { throw .unusableCertificate("of the authority", Self.words(error)) }
    return (unsafe take(made.certificate), unsafe take(made.key))
  }

  /// What the authority may sign: names that only a home has, the names of this server, and addresses that only a home has.
  static func constraints(for names: [String]) -> String {
    let hosts = ["home.arpa", "local", "localhost"] + names.filter { !Self.isAddress($0) }
    let networks = [
      "10.0.0.0/255.0.0.0", "172.16.0.0/255.240.0.0", "192.168.0.0/255.255.0.0", "127.0.0.0/255.0.0.0",
      "169.254.0.0/255.255.0.0", "fc00::/fe00::", "fe80::/ffc0::", "::1/\(Self.wholeMask(v6: true))",
    ]
    // An address outside of these networks, such as Tailscale's, has to be named: else the whole certificate is refused.
    let addresses = names.filter(Self.isAddress).map { "\($0)/\(Self.wholeMask(v6: $0.contains(":")))" }
    var seen: Set<String> = []
    let permitted = hosts.map { "permitted;DNS:\($0)" } + (networks + addresses).map { "permitted;IP:\($0)" }
    return (["critical"] + permitted.filter { seen.insert($0).inserted }).joined(separator: ",")
  }

  private static func wholeMask(v6: Bool) -> String {
    v6 ? Array(repeating: "ffff", count: 8).joined(separator: ":") : "255.255.255.255"
  }

  /// Whether a text is an IPv4 or IPv6 address.
  static func isAddress(_ name: String) -> Bool {
    var address = in6_addr()
    // `address` has room for either kind, and the string outlives the calls.
    return unsafe inet_pton(AF_INET, name, &address) == 1 || inet_pton(AF_INET6, name, &address) == 1
  }

  /// Whether a text is an address or the name of a host. Other characters have a meaning in x509v3_config(5).
  static func isName(_ name: String) -> Bool {
    guard !Self.isAddress(name) else { return true }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return name.utf8.count <= 253
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
              || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
              || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
          }
      }
  }

  /// One file, so that the certificate and its key are replaced together.
  private static func text(_ pair: (certificate: [UInt8], key: [UInt8])) -> [UInt8] { pair.certificate + pair.key }

  private static func parts(_ text: String) -> (certificate: [UInt8], key: [UInt8]) {
    let key = text.range(of: "-----BEGIN PRIVATE KEY")?.lowerBound ?? text.endIndex
    // SecretFile takes the last line end away.
    return (Array(text[..<key].utf8), Array((text[key...] + "\n").utf8))
  }

  private static func words(_ error: [CChar]) -> String {
    "libcrypto says \(String(decoding: error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))"
  }
}
