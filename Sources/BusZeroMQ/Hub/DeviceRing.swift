public import Bus
internal import Digest
public import KithMessages

/// The devices that the hub knows, by the SHA-256 of their tokens; decides as which device a command runs.
///
/// A pure value; time is passed in. It is a copy of the stored devices, so that no command waits for the disk.
///
/// ```swift
/// var ring = DeviceRing()
/// ring.replace([TokenDigest(of: token): DeviceGrant(name: "hanako", role: .recorder)])
/// let principal = ring.principal(token, now: WallClock.nanoseconds())  // device:hanako
/// ```
public struct DeviceRing: Sendable {
  private var grants: [TokenDigest: DeviceGrant] = [:]

  /// Makes a ring without devices.
  public init() {}

  /// Replaces the known devices by the stored ones.
  public mutating func replace(_ grants: [TokenDigest: DeviceGrant]) { self.grants = grants }

  /// The principal of the device with this token; nil if no device has it, or the device has expired.
  ///
  /// - Parameter now: Nanoseconds since 1970.
  public func principal(_ token: String, now: Int64) -> Principal? {
    // A longer text is no token, and need not be hashed.
    guard token.utf8.count <= WireLimits.token, let grant = self.grants[TokenDigest(of: token)],
      grant.expiresAt.map({ now < $0 }) ?? true
    else { return nil }
    return Principal(name: "device:\(grant.name)", role: grant.role)
  }
}

/// The rights of a device.
///
/// ```swift
/// let grant = DeviceGrant(name: "hanako", role: .viewer, expiresAt: WallClock.nanoseconds() + 3_600_000_000_000)
/// ```
public struct DeviceGrant: Sendable, Hashable {
  /// The device's name: a-z, 0-9 and hyphens.
  public let name: String
  /// The device's role.
  public let role: Role
  /// Nanoseconds since 1970; nil = never.
  public let expiresAt: Int64?

  /// Makes a grant.
  public init(name: String, role: Role, expiresAt: Int64? = nil) {
    self.name = name
    self.role = role
    self.expiresAt = expiresAt
  }
}

/// The SHA-256 of a device's token: all that the hub keeps of it.
///
/// ```swift
/// let stored = TokenDigest(of: token).hex
/// let isSame = TokenDigest(hex: stored) == TokenDigest(of: token)
/// ```
public struct TokenDigest: Sendable, Hashable {
  /// 32 bytes.
  public let bytes: [UInt8]

  /// 64 lower-case hex digits.
  public var hex: String { Hex.encode(self.bytes) }

  /// Takes the 32 bytes of a digest; nil if they are more or fewer.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Hashes a token.
  public init(of token: String) { self.bytes = SHA256.digest(Array(token.utf8)) }

  /// Reads 64 lower-case hex digits; nil if the text is something else.
  public init?(hex: String) {
    guard hex.utf8.count == 64, hex == hex.lowercased(), let bytes = Hex.decode(hex) else { return nil }
    self.bytes = bytes
  }
}
