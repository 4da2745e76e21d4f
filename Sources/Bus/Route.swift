internal import EventLoop
public import KithMessages

/// When a command starts, relative to the earlier commands of its connection: docs/protocol.md, "Order".
public enum CommandOrder: Sendable {
  /// Immediately: the command changes nothing.
  case free
  /// When each earlier command has passed its write to the store, or has ended. For a handler that reads nothing before
  /// its transaction: the store keeps the order of writes and commits waiting writes together.
  case afterWrites
  /// When the earlier commands have ended. For a handler that reads the store before it writes, or changes something
  /// outside the store.
  case afterEnds
  /// When the earlier commands on uploads have ended. Other commands do not wait for this command.
  case amongUploads
}

/// A method with its handler.
///
/// ```swift
/// Route(PingRequest.self) { request, context throws(Failure) in
///   var reply = PingReply()
///   reply.echo = request.echo
///   return reply
/// }
/// ```
public struct Route: Sendable {
  /// The method that is served.
  public let method: Method
  /// When the command starts, relative to earlier commands of its connection.
  public let order: CommandOrder
  /// The typed handler; the in-process port casts it back.
  let handler: any Sendable
  /// Decodes, runs and encodes.
  let encoded: @Sendable (Router, [UInt8], Encoding, CallContext) async throws(Failure) -> EncodedAnswer
  /// Decodes protobuf, runs and encodes without a router; used on a worker.
  let direct: @Sendable ([UInt8], CallContext) async throws(Failure) -> [UInt8]
  /// Runs the handler again on a stored request.
  let rerun: @Sendable (Router, UnfinishedCommand, CallContext) async throws(Failure) -> Void

  /// Makes a route whose answer has attachments or effects.
  ///
  /// - Parameter order: nil = `afterEnds` for a mutating method, `free` otherwise.
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

  /// Makes a route whose answer is a reply alone.
  ///
  /// - Parameter order: As in ``init(answering:order:_:)``.
  public init<C: Command>(
    _ type: C.Type, order: CommandOrder? = nil,
    _ handler: @escaping @Sendable (C, CallContext) async throws(Failure) -> C.Reply
  ) {
    self.init(answering: type, order: order) { command, context throws(Failure) in
      Answer(try await handler(command, context))
    }
  }
}

/// A handler with its static type, so that a table of routes can return it.
struct Handler<C: Command>: Sendable {
  let run: @Sendable (C, CallContext) async throws(Failure) -> Answer<C.Reply>
}

/// An encoded answer.
public struct EncodedAnswer: Sendable {
  /// The reply in the encoding of the request.
  public var body: [UInt8]
  /// Bytes beside the reply.
  public var attachments: [[UInt8]]
  /// The positions of the streams after the command's events.
  public var effects: [StreamPosition]
  /// Whether the answer comes from the journal.
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

/// A method that answers in batches, with its handler.
///
/// ```swift
/// BatchRoute(ReadRequest.self) { request, context, yield throws(Failure) in
///   while let batch = try await next() { try await yield(batch) }
///   return ReadReply()
/// }
/// ```
public struct BatchRoute: Sendable {
  /// The method that is served.
  public let method: Method
  /// The typed handler; the port casts it back.
  let handler: any Sendable
  /// Decodes protobuf, runs, and encodes each batch and the reply; used on a worker.
  let direct:
    @Sendable (
      [UInt8], CallContext, _ yield: @escaping @Sendable ([UInt8]) async throws(Failure) -> Void
    ) async throws(Failure) -> [UInt8]

  /// Makes a route.
  ///
  /// - Parameter handler: Passes each batch to its last argument, which returns when the next batch is wanted; then returns
  ///   the reply. It checks `Task.isCancelled` between batches.
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

/// A handler with its static type, so that a table of routes can return it.
struct BatchHandler<C: BatchCommand>: Sendable {
  let run:
    @Sendable (
      C, CallContext, _ yield: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
    ) async throws(Failure) -> C.Reply
}
