public import Bus
package import BusZeroMQ
internal import Glibc
internal import KithMessages
internal import Secrets
internal import ZeroMQ

/// A file with a client's key pair and the hub's keys that it trusts. Other users must not be able to read it.
///
/// ```
/// secret  the secret key, 40 characters of Z85
/// public  the public key
/// server  the hub's public key; a second one follows while the hub changes its key
/// ```
///
/// Keys in hex are accepted too.
///
/// ```swift
/// let file = try KeyFile.make(at: "/home/aiko/.config/kith/key", serverKey: "SERVER KEY IN HEX")
/// print("kith keys approve \(file.fingerprint) --name tablet --role recorder")
/// let client = try await KithClient.connect(to: RemoteHub("tcp://192.168.1.10"), key: file)
/// ```
public struct KeyFile: Sendable {
  /// The path of the file.
  public let path: String
  /// The hub's public keys in Z85; the current one is first.
  public private(set) var serverKeys: [String]
  private let keys: CurveKeyPair

  /// The client's public key, in Z85.
  public var publicKey: String { self.keys.publicKey.z85 }
  /// The client's public key in 64 hex digits, which are safe to paste into a shell.
  public var publicKeyHex: String { self.keys.publicKey.hex }
  /// The key's fingerprint for people to compare: the first 16 hex digits of the SHA-256 of the public key.
  public var fingerprint: String { KeyFingerprint.of(self.keys.publicKey.bytes) }

  /// Reads a key file.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_UNREADABLE` if it does not exist, other users may read it, or it is no key file.
  public init(path: String) throws(Failure) {
    guard let text = try SecretFile(path: path).read() else {
      throw Self.unreadable(path, "it is not there. Make one: kith keys new --file \(path)")
    }
    var secret: CurveKey?
    var serverKeys: [String] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      guard words.count == 2, let key = CurveKey(text: String(words[1])) else {
        throw Self.unreadable(path, "a line of it is not a word and a key")
      }
      switch words[0] {
      case "secret": secret = key
      case "public": break
      case "server": serverKeys.append(key.z85)
      default: throw Self.unreadable(path, "it is not a key file")
      }
    }
    guard let secret, let keys = try? CurveKeyPair(secretKey: secret) else {
      throw Self.unreadable(path, "it has no secret key")
    }
    self.path = path
    self.serverKeys = serverKeys
    self.keys = keys
  }

  /// Creates a key pair and its file.
  ///
  /// - Parameters:
  ///   - path: A path without a file. Missing directories are created for this user alone.
  ///   - serverKey: The hub's public key in hex or Z85, if known.
  /// - Throws: `ALREADY_EXISTS/RECORD_EXISTS`, `INVALID_ARGUMENT/FIELD_INVALID`, `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  public static func make(at path: String, serverKey: String? = nil) throws(Failure) -> KeyFile {
    // What cannot be looked at cannot be written below either, which says so.
    var status = stat()
    guard lstat(path, &status) != 0 else {
      throw Failure(
        .alreadyExists, "RECORD_EXISTS",
        "\(path) exists already and is not replaced. Choose another file, or remove it.", details: ["path": path])
    }
    let keys: CurveKeyPair
    do throws(ZMQError) {
      keys = try CurveKeyPair.random()
    } catch {
      throw Failure(
        .failedPrecondition, "NOT_CONFIGURED", "No key can be made: \(error). libzmq has to be built with CURVE.")
    }
    var file = KeyFile(path: path, serverKeys: [], keys: keys)
    let trusted = try serverKey.map { text throws(Failure) in try Self.checked(text).z85 }
    try SecretFile(path: path).makeDirectories()
    try file.trust(trusted.map { [$0] } ?? [])
    return file
  }

  private init(path: String, serverKeys: [String], keys: CurveKeyPair) {
    self.path = path
    self.serverKeys = serverKeys
    self.keys = keys
  }

  /// Trusts only these keys of the hub from now on, and stores them in the file.
  ///
  /// - Throws: `FAILED_PRECONDITION/SECRET_NOT_KEPT`.
  public mutating func trust(_ serverKeys: [String]) throws(Failure) {
    self.serverKeys = serverKeys
    let lines = [("secret", self.keys.secretKey.z85), ("public", self.publicKey)] + serverKeys.map { ("server", $0) }
    try SecretFile(path: self.path).write(Array(lines.map { "\($0) \($1)\n" }.joined().utf8))
  }

  /// The client's identity for a hub with one of ``serverKeys``.
  func identity(towards serverKey: String) throws(Failure) -> CurveIdentity {
    CurveIdentity(keys: self.keys, serverKey: try Self.checked(serverKey))
  }

  /// The keys of a worker that uses this file.
  ///
  /// - Parameter serverKey: The hub's public key in hex or Z85; nil = from the file.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` if the hub's key is missing.
  package func hubKeys(serverKey: String? = nil) throws(Failure) -> HubKeys {
    var servers: [CurveKey] = []
    for text in serverKey.map({ [$0] }) ?? self.serverKeys { servers.append(try Self.checked(text)) }
    guard let keys = HubKeys(own: self.keys, servers: servers) else { throw Self.noServerKey }
    return keys
  }

  static let noServerKey = Failure.invalid(
    field: "server_key", "is missing. `kith keys show` prints it on the hub; give it once with --server-key KEY.")

  /// Parses a hub's key in hex or Z85.
  static func checked(_ serverKey: String) throws(Failure) -> CurveKey {
    guard let key = CurveKey(text: serverKey) else {
      throw .invalid(field: "server_key", "is not a key: 64 hex digits, as `kith keys show` prints them on the hub.")
    }
    return key
  }

  private static func unreadable(_ path: String, _ why: String) -> Failure {
    Failure(.failedPrecondition, "SECRET_UNREADABLE", "The key in \(path) cannot be used: \(why).")
  }
}

/// The text forms of a key: 64 hex digits for people and shells, 40 characters of Z85 in messages. Both are accepted.
///
/// ```swift
/// print(KeySpelling.hex(info.publicKeyZ85))
/// ```
public enum KeySpelling {
  /// The hex digits of a public key in either form; the unchanged text if it is no key.
  public static func hex(_ key: String) -> String { CurveKey(text: key)?.hex ?? key }
}
