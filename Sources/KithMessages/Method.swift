public import SwiftProtobuf

/// A method of the wire protocol with the rules that `proto/` states for it.
public struct Method: Sendable, Hashable {
  /// How often a leased method may run.
  public enum Delivery: Sendable, Hashable {
    /// Repeated after a lost lease.
    case atLeastOnce
    /// Never repeated blindly: a lost lease leaves the outcome unknown.
    case atMostOnce
  }

  /// What the hub does with a started command after a crash.
  public enum Recovery: Sendable, Hashable {
    /// Answers `ABORTED/OUTCOME_UNKNOWN`.
    case report
    /// Runs the stored request again.
    case rerun
    /// Leaves it to the lease of its job.
    case resume
  }

  /// The name on the wire: `kith.v1.Contacts/Sync`.
  public let name: String
  /// The least role that may call it.
  public let role: Role
  /// Whether the same key gives the same answer once, through a row committed with the effect.
  public let isMutating: Bool
  /// Whether the key's row is committed before the work starts.
  public let isLongRunning: Bool
  /// Whether a worker may run it.
  public let isPlaceable: Bool
  /// How often a worker may run it.
  public let delivery: Delivery
  /// What happens to it after a crash.
  public let recovery: Recovery
  /// Milliseconds it may take when the caller names no deadline.
  public let timeoutMilliseconds: UInt32

  init(
    name: String, role: Role, isMutating: Bool, isLongRunning: Bool, isPlaceable: Bool, delivery: Delivery,
    recovery: Recovery, timeoutMilliseconds: UInt32
  ) {
    self.name = name
    self.role = role
    self.isMutating = isMutating
    self.isLongRunning = isLongRunning
    self.isPlaceable = isPlaceable
    self.delivery = delivery
    self.recovery = recovery
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// Methods are told apart by their names.
  public static func == (left: Method, right: Method) -> Bool { left.name == right.name }

  /// Goes by the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(self.name) }
}

/// A request message that asks for exactly one kind of reply.
///
/// Conformances are generated from the `rpc` lines of `proto/`: the type of a request names its method.
public protocol Command: SwiftProtobuf.Message, Sendable {
  /// What the method answers with.
  associatedtype Reply: SwiftProtobuf.Message & Sendable

  /// The method that this message is the request of.
  static var method: Method { get }
}

/// A command whose answer comes in batches before its reply: the reading half of a placeable service.
public protocol BatchCommand: Command {
  /// One piece of the answer. The receiver stores it before it asks for the next but one.
  associatedtype Batch: SwiftProtobuf.Message & Sendable
}
