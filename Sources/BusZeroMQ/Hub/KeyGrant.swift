public import KithMessages

/// What the key of another machine was approved for.
public struct KeyGrant: Sendable, Hashable {
  /// Under which it is known: a-z, 0-9 and hyphens.
  public let name: String
  /// What it may do.
  public let role: Role
  /// Of a worker: the services that it may take jobs of.
  public let services: Set<String>
  /// Nanoseconds since 1970; nil = without end.
  public let expiresAt: Int64?

  /// Makes a grant.
  public init(name: String, role: Role, services: Set<String> = [], expiresAt: Int64? = nil) {
    self.name = name
    self.role = role
    self.services = services
    self.expiresAt = expiresAt
  }

  /// Whether it still holds.
  func holds(at now: Int64) -> Bool { self.expiresAt.map { now < $0 } ?? true }
}
