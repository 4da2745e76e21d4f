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
  /// The function, with its types.
  let handler: any CommandHandler

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
