public import KithMessages

/// Sends commands to the hub's actors, in this process or over ZeroMQ. Callers do not see a difference.
///
/// ```swift
/// let answer = try await port.call(ListContactsRequest(), CallContext(timeout: .seconds(5)))
/// let reply = try await port.ask(ListContactsRequest())  // the reply alone
/// ```
public protocol Port: Sendable {
  /// Sends a command and waits for its answer.
  ///
  /// - Throws: The method's ``Failure`` or that of the connection; `CANCELLED` if the task is cancelled.
  func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply>
}

extension Port {
  /// Sends a command and returns the reply without effects and attachments.
  public func ask<C: Command>(_ command: C, _ context: CallContext = CallContext()) async throws(Failure) -> C.Reply {
    try await self.call(command, context).reply
  }

  /// Sends a command and returns the reply; nil from a hub of an earlier version, which does not serve the method.
  public func askIfServed<C: Command>(_ command: C) async throws(Failure) -> C.Reply? {
    do throws(Failure) {
      return try await self.ask(command)
    } catch {
      guard error.code == .unimplemented else { throw error }
      return nil
    }
  }
}

/// Sends commands to placeable services, which answer in batches.
///
/// ```swift
/// let reply = try await port.call(request, CallContext()) { batch throws(Failure) in
///   try await store(batch)
/// }
/// ```
public protocol BatchPort: Sendable {
  /// Sends a command, passes each batch to `receive` in order, and waits for the reply.
  ///
  /// One more batch is produced while `receive` runs, so a slow receiver slows the service down.
  ///
  /// - Throws: The method's ``Failure``, that of the connection, or what `receive` threw.
  func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply
}

/// A reply with its attachments, effects and replay flag.
///
/// ```swift
/// let answer = try await port.call(request, CallContext())
/// for position in answer.effects { print(position.stream, position.seq) }
/// ```
public struct Answer<Reply: Sendable>: Sendable {
  /// The reply of the method.
  public var reply: Reply
  /// Bulk bytes that belong to the reply.
  public var attachments: [[UInt8]]
  /// The positions of the streams after the command's own events; wait for these positions to read your own writes.
  public var effects: [StreamPosition]
  /// Whether the answer was stored by an earlier call with the same key.
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
