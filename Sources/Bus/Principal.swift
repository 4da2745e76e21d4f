public import KithMessages

/// Who asks: the name that authentication gave, and what it may do.
public struct Principal: Sendable, Hashable {
  /// `uid:1000` for a local user, `key:NAME` for a key, `hub` for the hub itself.
  public let name: String
  /// Looked up at every command.
  public let role: Role
  /// The services that a worker's key was approved for, such as `kith.v1.Transcriber`; nil = not limited, as with a local user.
  public let services: Set<String>?

  /// Makes a principal.
  public init(name: String, role: Role, services: Set<String>? = nil) {
    self.name = name
    self.role = role
    self.services = services
  }

  /// Whether it is a user of the hub's own machine, connected over ipc.
  public var isLocal: Bool { self.name.hasPrefix("uid:") }

  /// The hub's own work: schedules and start-up.
  public static let hub = Principal(name: "hub", role: .admin)

  /// Refuses when the role does not cover the method.
  public func require(_ method: Method) throws(Failure) {
    guard self.role.covers(method.role) else {
      throw Failure(
        .permissionDenied, "ROLE_NOT_ALLOWED",
        "\(method.name) needs the role \(method.role.rawValue); \(self.name) is \(self.role.rawValue).")
    }
  }
}
