public import KithMessages

/// One method that answers in batches, with the function that serves it.
public struct BatchRoute: Sendable {
  /// What it serves.
  public let method: Method
  /// The typed handler, cast back by the port.
  let handler: any Sendable

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

/// A handler with its type, so that a table of any of them can give it back.
struct BatchHandler<C: BatchCommand>: Sendable {
  let run:
    @Sendable (
      C, CallContext, _ yield: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
    ) async throws(Failure) -> C.Reply
}
