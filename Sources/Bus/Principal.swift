internal import Digest
internal import Glibc
public import KithMessages

/// The authenticated caller of a command, and its role.
///
/// ```swift
/// let device = Principal(name: "device:hanako", role: .viewer)
/// try device.require(ListCareRequest.method)
/// print(device.plainName)  // hanako
/// ```
public struct Principal: Sendable, Hashable {
  /// `uid:1000` for a local user, `key:NAME` for a key, `device:NAME` for a device, `hub` for the hub itself.
  public let name: String
  /// The role, looked up for every command.
  public let role: Role
  /// The services that a worker's key is approved for, such as `kith.v1.Transcriber`; nil = all, as for a local user.
  public let services: Set<String>?

  /// Makes a principal.
  public init(name: String, role: Role, services: Set<String>? = nil) {
    self.name = name
    self.role = role
    self.services = services
  }

  /// Whether it is a user of the hub's machine, connected over ipc.
  public var isLocal: Bool { self.name.hasPrefix("uid:") }

  /// The name of the device that it is; nil if it is none.
  public var deviceName: String? { self.name.hasPrefix("device:") ? String(self.name.dropFirst("device:".count)) : nil }

  /// The name for people: of the user, the key, the device.
  public var plainName: String {
    if self.isLocal, let number = UInt32(self.name.dropFirst("uid:".count)) { return LocalUser.name(of: number) }
    return self.name.split(separator: ":", maxSplits: 1).last.map(String.init) ?? self.name
  }

  /// The hub itself: schedules and start-up.
  public static let hub = Principal(name: "hub", role: .admin)

  /// Checks that the role covers the method.
  ///
  /// - Throws: `PERMISSION_DENIED/ROLE_NOT_ALLOWED`.
  public func require(_ method: Method) throws(Failure) {
    guard self.role.mayCall(method) else {
      throw Failure(
        .permissionDenied, "ROLE_NOT_ALLOWED",
        "\(method.name) needs the role \(method.role.rawValue); \(self.name) is \(self.role.rawValue).")
    }
  }
}

/// The fingerprint of a public key, for people to compare: the first 16 hex digits of the SHA-256 of its 32 bytes.
///
/// ```swift
/// let fingerprint = KeyFingerprint.of(keys.publicKey.bytes)  // "1b8f09ac44e2d37c"
/// ```
public enum KeyFingerprint {
  /// Returns the fingerprint of a public key.
  public static func of(_ publicKey: [UInt8]) -> String { Hex.encode(SHA256.digest(publicKey).prefix(8)) }
}

/// A user of this machine.
package enum LocalUser {
  /// The number of a user, given by name or number; nil if there is no such user.
  package static func number(of user: String) -> UInt32? {
    UInt32(user) ?? Self.entry({ getpwnam_r(user, $0, $1, $2, $3) }) { $0.pw_uid }
  }

  /// The name of a user, or the number if the user has no name.
  package static func name(of number: UInt32) -> String {
    Self.entry({ getpwuid_r(number, $0, $1, $2, $3) }) { String(cString: $0.pw_name) } ?? "\(number)"
  }

  private typealias LookUp = (
    UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
    UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
  ) -> Int32

  /// Reads an entry of the user database; nil if there is none. Its strings are valid only during `read`.
  private static func entry<Value>(_ lookUp: LookUp, _ read: (passwd) -> Value) -> Value? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard lookUp(&entry, start, buffer.count, &found) == 0, found != nil else { return nil }
      return read(entry)
    }
  }
}
