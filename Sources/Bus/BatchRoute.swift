public import KithMessages

/// One method that answers in batches, with the function that serves it.
public struct BatchRoute: Sendable {
  /// What it serves.
  public let method: Method
  /// The typed handler, cast back by the port.
  let handler: any Sendable
  /// Decodes protobuf, runs, and encodes each batch and the reply: on a worker.
  let direct:
    @Sendable (
      [UInt8], CallContext, _ yield: @escaping @Sendable ([UInt8]) async throws(Failure) -> Void
    ) async throws(Failure) -> [UInt8]

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
    self.direct = { body, context, yield throws(Failure) in
      let command = try Encoding.pb.decode(C.self, from: body)
      let reply = try await handler(command, context) { batch throws(Failure) in
        try await yield(try Encoding.pb.encode(batch))
      }
      return try Encoding.pb.encode(reply)
    }
  }
}

/// A handler with its type, so that a table of any of them can give it back.
struct BatchHandler<C: BatchCommand>: Sendable {
  let run:
    @Sendable (
      C, CallContext, _ yield: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
    ) async throws(Failure) -> C.Reply
}
