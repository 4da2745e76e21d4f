public import SwiftProtobuf

/// A method of the wire protocol with the rules that `proto/` states for it.
///
/// ```swift
/// print(Methods.careList.name, Methods.careList.role)  // "kith.v1.Care/List" viewer
/// ```
public struct Method: Sendable, Hashable {
  /// How often a leased method may run.
  public enum Delivery: Sendable, Hashable {
    /// Run again after a lost lease.
    case atLeastOnce
    /// Never run again automatically: after a lost lease the outcome is unknown.
    case atMostOnce
  }

  /// What the hub does with a started command after a crash.
  public enum Recovery: Sendable, Hashable {
    /// Answers `ABORTED/OUTCOME_UNKNOWN`.
    case report
    /// Runs the stored request again.
    case rerun
    /// Resumes with the lease of its job.
    case resume
  }

  /// The name on the wire: `kith.v1.Contacts/Sync`.
  public let name: String
  /// The least role that may call it.
  public let role: Role
  /// Whether every role but a worker's may call it.
  public let isOpen: Bool
  /// Whether a command runs once per key: the key's row is committed with the effect.
  public let isMutating: Bool
  /// Whether the key's row is committed before the work starts.
  public let isLongRunning: Bool
  /// Whether a worker may run it.
  public let isPlaceable: Bool
  /// How often a worker may run it.
  public let delivery: Delivery
  /// What happens to it after a crash.
  public let recovery: Recovery
  /// The default timeout in milliseconds.
  public let timeoutMilliseconds: UInt32

  init(
    name: String, role: Role, isOpen: Bool, isMutating: Bool, isLongRunning: Bool, isPlaceable: Bool,
    delivery: Delivery, recovery: Recovery, timeoutMilliseconds: UInt32
  ) {
    self.name = name
    self.role = role
    self.isOpen = isOpen
    self.isMutating = isMutating
    self.isLongRunning = isLongRunning
    self.isPlaceable = isPlaceable
    self.delivery = delivery
    self.recovery = recovery
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// Methods are equal if their names are.
  public static func == (left: Method, right: Method) -> Bool { left.name == right.name }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) { hasher.combine(self.name) }
}

/// A request message with one type of reply.
///
/// Conformances are generated from the `rpc` lines of `proto/`: the type of a request determines its method.
///
/// ```swift
/// let reply: ListCareReply = try await port.ask(ListCareRequest())
/// print(ListCareRequest.method.isMutating)  // false
/// ```
public protocol Command: SwiftProtobuf.Message, Sendable {
  /// The reply of the method.
  associatedtype Reply: SwiftProtobuf.Message & Sendable

  /// The method whose request this message is.
  static var method: Method { get }
}

/// A command that is answered in batches before its reply.
///
/// ```swift
/// let reply = try await port.call(command, context) { batch throws(Failure) in try await store(batch) }
/// ```
public protocol BatchCommand: Command {
  /// One batch. At most two are unacknowledged.
  associatedtype Batch: SwiftProtobuf.Message & Sendable
}
