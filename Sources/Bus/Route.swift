internal import EventLoop
public import KithMessages

/// When a command starts, relative to the earlier commands of its connection: docs/protocol.md, "Order".
///
/// ```swift
/// let route = Route(LogCallRequest.self, order: .afterWrites) { request, context throws(Failure) in
///   try await log(request, context)
/// }
/// ```
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
  /// The function, with its types.
  let handler: any CommandHandler

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

/// The function that serves a method, for a table of any of them.
protocol CommandHandler: Sendable {
  /// Decodes a command, runs it once, and encodes its answer.
  func answer(
    _ body: [UInt8], _ encoding: Encoding, _ context: CallContext, by router: Router
  ) async throws(Failure) -> EncodedAnswer

  /// Decodes a command in protobuf, runs it, and encodes its reply: on a worker, which has no router.
  func answer(_ body: [UInt8], _ context: CallContext) async throws(Failure) -> [UInt8]

  /// Runs a stored command again, for its effect.
  func resume(_ command: UnfinishedCommand, _ context: CallContext, by router: Router) async throws(Failure)
}

/// A handler with its types, to which the in-process port casts it back.
struct Handler<C: Command>: CommandHandler {
  let run: @Sendable (C, CallContext) async throws(Failure) -> Answer<C.Reply>

  func answer(
    _ body: [UInt8], _ encoding: Encoding, _ context: CallContext, by router: Router
  ) async throws(Failure) -> EncodedAnswer {
    try await router.performEncoded(body, encoding, self, context)
  }

  func answer(_ body: [UInt8], _ context: CallContext) async throws(Failure) -> [UInt8] {
    let command = try Encoding.pb.decode(C.self, from: body)
    return try Encoding.pb.encode(try await self.run(command, context).reply)
  }

  func resume(_ command: UnfinishedCommand, _ context: CallContext, by router: Router) async throws(Failure) {
    let request = try Encoding.pb.decode(C.self, from: command.request)
    try await router.resume(request, command.ticket, self, context)
  }
}

/// An encoded answer.
///
/// ```swift
/// let answer = try await router.answer(
///   method: "kith.v1.System/Ping", encoding: .json, body: Array("{}".utf8), context: CallContext())
/// print(String(decoding: answer.body, as: UTF8.self))
/// ```
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
/// BatchRoute(PullRequest.self) { request, context, yield throws(Failure) in
///   while let batch = try await next() { try await yield(batch) }
///   return PullReply()
/// }
/// ```
public struct BatchRoute: Sendable {
  /// The method that is served.
  public let method: Method
  /// The function, with its types.
  let handler: any BatchCommandHandler

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
