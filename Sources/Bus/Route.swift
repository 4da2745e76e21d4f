internal import EventLoop
public import KithMessages

/// When a command starts, relative to those that came before it on its connection: docs/protocol.md, "Order".
public enum CommandOrder: Sendable {
  /// At once: it changes nothing.
  case free
  /// When each earlier command has handed its write to the store, or has ended. For a handler that looks at nothing
  /// before its transaction: the store keeps the order of writes, and commits those that wait together.
  case afterWrites
  /// When the earlier commands have ended. For a handler that looks at the store before it writes, or changes something
  /// outside it.
  case afterEnds
  /// When the earlier commands on uploads have ended; other commands do not wait for it.
  case amongUploads
}

/// One method with the function that serves it.
public struct Route: Sendable {
  /// What it serves.
  public let method: Method
  /// When it starts, relative to earlier commands of its connection.
  public let order: CommandOrder
  /// The typed handler, cast back by the in-process port.
  let handler: any Sendable
  /// Decodes, runs and encodes.
  let encoded: @Sendable (Router, [UInt8], Encoding, CallContext) async throws(Failure) -> EncodedAnswer
  /// Decodes protobuf, runs and encodes, without a router: on a worker.
  let direct: @Sendable ([UInt8], CallContext) async throws(Failure) -> [UInt8]
  /// Runs the handler on a stored request, for its effect.
  let rerun: @Sendable (Router, UnfinishedCommand, CallContext) async throws(Failure) -> Void

  /// Serves a method with an answer that has attachments or effects beside its reply.
  ///
  /// - Parameter order: Nil = after the ends of earlier commands where the method changes something, else free.
  public init<C: Command>(
    answering type: C.Type, order: CommandOrder? = nil,
    _ handler: @escaping @Sendable (C, CallContext) async throws(Failure) -> Answer<C.Reply>
  ) {
    self.method = C.method
    self.order = order ?? (C.method.isMutating ? .afterEnds : .free)
    self.handler = Handler<C>(run: handler)
    self.encoded = { router, body, encoding, context throws(Failure) in
      try await router.performEncoded(body, encoding, Handler<C>(run: handler), context)
    }
    self.direct = { body, context throws(Failure) in
      let command = try Encoding.pb.decode(C.self, from: body)
      return try Encoding.pb.encode(try await handler(command, context).reply)
    }
    self.rerun = { router, unfinished, context throws(Failure) in
      let command = try Encoding.pb.decode(C.self, from: unfinished.request)
      try await router.resume(command, unfinished.ticket, Handler<C>(run: handler), context)
    }
  }

  /// Serves a method with its reply.
  ///
  /// - Parameter order: As of ``init(answering:order:_:)``.
  public init<C: Command>(
    _ type: C.Type, order: CommandOrder? = nil,
    _ handler: @escaping @Sendable (C, CallContext) async throws(Failure) -> C.Reply
  ) {
    self.init(answering: type, order: order) { command, context throws(Failure) in
      Answer(try await handler(command, context))
    }
  }
}

/// A handler with its type, so that a table of any of them can give it back.
struct Handler<C: Command>: Sendable {
  let run: @Sendable (C, CallContext) async throws(Failure) -> Answer<C.Reply>
}

/// An answer ready for the wire.
public struct EncodedAnswer: Sendable {
  /// The reply in the encoding of the request.
  public var body: [UInt8]
  /// Bulk bytes.
  public var attachments: [[UInt8]]
  /// Positions to wait for.
  public var effects: [StreamPosition]
  /// Whether it is a remembered answer.
  public var isReplayed: Bool

  /// Makes an answer.
  public init(
    body: [UInt8], attachments: [[UInt8]] = [], effects: [StreamPosition] = [], isReplayed: Bool = false
  ) {
    self.body = body
    self.attachments = attachments
    self.effects = effects
    self.isReplayed = isReplayed
  }
}

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
