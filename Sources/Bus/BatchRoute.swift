public import KithMessages

/// One method that answers in batches, with the function that serves it.
public struct BatchRoute: Sendable {
  /// What it serves.
  public let method: Method
  /// The function, with its types.
  let handler: any BatchCommandHandler

  /// Serves a method.
  ///
  /// - Parameter handler: Hands each batch to its last argument and waits there until it is wanted; then gives the reply. It
  ///   looks at `Task.isCancelled` between batches.
  public init<C: BatchCommand>(
    _ type: C.Type,
    _ handler:
      @escaping @Sendable (
        C, CallContext, _ yield: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
      ) async throws(Failure) -> C.Reply
  ) {
    self.method = C.method
    self.handler = BatchHandler<C>(run: handler)
  }
}

/// The function that serves a method in batches, for a table of any of them.
protocol BatchCommandHandler: Sendable {
  /// Decodes a command in protobuf, runs it, and encodes each batch and the reply: on a worker.
  func answer(
    _ body: [UInt8], _ context: CallContext, _ yield: @escaping @Sendable ([UInt8]) async throws(Failure) -> Void
  ) async throws(Failure) -> [UInt8]
}

/// A handler with its types, to which the port casts it back.
struct BatchHandler<C: BatchCommand>: BatchCommandHandler {
  let run:
    @Sendable (
      C, CallContext, _ yield: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
    ) async throws(Failure) -> C.Reply

  func answer(
    _ body: [UInt8], _ context: CallContext, _ yield: @escaping @Sendable ([UInt8]) async throws(Failure) -> Void
  ) async throws(Failure) -> [UInt8] {
    let command = try Encoding.pb.decode(C.self, from: body)
    let reply = try await self.run(command, context) { batch throws(Failure) in
      try await yield(try Encoding.pb.encode(batch))
    }
    return try Encoding.pb.encode(reply)
  }
}
