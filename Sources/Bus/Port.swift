public import KithMessages

/// A way to the actors: in this process or over ZeroMQ. Callers cannot tell which.
public protocol Port: Sendable {
  /// Sends a command and waits for its answer.
  ///
  /// - Throws: A ``Failure`` of the method or of the way to it; `CANCELLED` when the task is cancelled.
  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply>
}

extension Port {
  /// Sends a command and waits for its reply alone.
  public func ask<C: Command>(_ command: C, _ context: CallContext = CallContext()) async throws(Failure) -> C.Reply {
    try await self.call(command, context).reply
  }
}

/// A way to services that answer in batches: what a placeable service is reached through.
public protocol BatchPort: Sendable {
  /// Sends a command, hands each batch to `receive` in order, and waits for the reply.
  ///
  /// The next batch is read while `receive` runs, and no further: a slow receiver slows the reader down.
  ///
  /// - Throws: A ``Failure`` of the method, of the way to it, or what `receive` threw.
  func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply
}

/// A reply with what travels beside it.
public struct Answer<Reply: Sendable>: Sendable {
  /// What the method answered.
  public var reply: Reply
  /// Bulk bytes that belong to the reply.
  public var attachments: [[UInt8]]
  /// The positions of the streams after the command's own events: wait for these to read your own writes.
  public var effects: [StreamPosition]
  /// Whether the answer is the remembered one of an earlier call with the same key.
  public var isReplayed: Bool

  /// Makes an answer.
  public init(
    _ reply: Reply, attachments: [[UInt8]] = [], effects: [StreamPosition] = [], isReplayed: Bool = false
  ) {
    self.reply = reply
    self.attachments = attachments
    self.effects = effects
    self.isReplayed = isReplayed
  }
}
