public import SwiftProtobuf

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
