public import Digest
internal import EventLoop
public import KithMessages
public import Logging
internal import SwiftProtobuf

/// Finds the handler of a command and ensures that a mutating command runs once.
///
/// The router is the in-process ``Port``. The control plane calls the same handlers by
/// ``answer(method:encoding:body:context:)``, so roles, cancellation and stored answers are the same for both.
///
/// ```swift
/// let ping = Route(PingRequest.self) { _, _ throws(Failure) in PingReply() }
/// let router = Router([ping], journal: journal, contentKey: key, logger: logger)
/// try await router.recover()
/// let reply = try await router.ask(PingRequest())
/// ```
public final class Router: Port, Sendable {
  private let routes: [String: Route]
  private let journal: any CommandJournal
  private let contentKey: HMACKey
  private let paths: HubPaths
  private let inFlight: InFlightCommands
  private let load = Lock(ServiceLoad())
  /// Decodes large bodies. JSON of 256 KiB takes tens of milliseconds; on the shared pool many such bodies would delay all
  /// other commands.
  private let reading = ThreadExecutor(name: "kith.reading")
  private let logger: Logger

  /// The size of a body that is decoded without changing threads.
  private static let smallBody = 16 << 10

  /// Makes a router.
  ///
  /// - Parameters:
  ///   - routes: One for each method. The router serves `System/Cancel` and `System/Services` itself.
  ///   - inFlight: The table of running commands.
  ///   - journal: Stores the answers.
  ///   - contentKey: Authenticates the content of commands in the journal. It is kept outside the database, so that the
  ///     journal alone does not reveal the content.
  ///   - paths: Decides which files on the hub's disk a command may name.
  ///   - commandOfJob: Returns the command that waits for a job, by the job's id; nil if there is none.
  public init(
    _ routes: [Route], inFlight: InFlightCommands = InFlightCommands(), journal: any CommandJournal,
    contentKey: HMACKey, paths: HubPaths = HubPaths(),
    commandOfJob: @escaping @Sendable (String) async -> CommandID? = { _ in nil }, logger: Logger
  ) {
    let own = [
      Self.cancel(inFlight, commandOfJob),
      Self.services(routes.map(\.method) + [Methods.systemCancel, Methods.systemServices]),
    ]
    self.routes = Dictionary((routes + own).map { ($0.method.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.inFlight = inFlight
    self.journal = journal
    self.contentKey = contentKey
    self.paths = paths
    self.logger = logger
  }

  /// Calls the handler in this process.
  public func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    guard let handler = self.routes[C.method.name]?.handler as? Handler<C> else { throw Self.unserved(C.method.name) }
    try context.principal.require(C.method)
    guard let timeout = context.timeout else {
      return try await self.perform(command, handler, context)
    }
    return try await Deadline.race(timeout) { () async throws(Failure) in
      try await self.perform(command, handler, context)
    }
  }

  /// Records a command that was received, so that an immediate `System/Cancel` finds it. ``retract(_:)`` removes it.
  public func announce(_ context: CallContext) { self.inFlight.announce(Self.names(context)) }

  /// Removes an announced command that has been answered.
  public func retract(_ context: CallContext) { self.inFlight.retract(Self.names(context)) }

  /// The names by which a client may cancel a command: its request id and its idempotency key.
  private static func names(_ context: CallContext) -> Set<CommandID> {
    Set(
      [context.requestID, context.idempotencyKey].filter { !$0.isEmpty }.map {
        CommandID(principal: context.principal.name, key: $0)
      })
  }

  /// Runs an encoded command. The caller enforces the timeout.
  public func answer(
    method name: String, encoding: Encoding, body: [UInt8], context: CallContext
  ) async throws(Failure) -> EncodedAnswer {
    guard let route = self.routes[name] else { throw Self.unserved(name) }
    try context.principal.require(route.method)
    return try await route.handler.answer(body, encoding, context, by: self)
  }

  /// The method with this name; nil if it is not served.
  public func method(named name: String) -> Method? { self.routes[name]?.method }

  /// When a command starts, relative to earlier commands of its connection.
  public func order(of method: Method) -> CommandOrder { self.routes[method.name]?.order ?? .free }

  /// Recovers the commands that the last process left unfinished, by each method's recovery rule.
  public func recover() async throws(Failure) {
    for command in try await self.journal.unfinished() {
      let ticket = command.ticket
      self.logger.info(
        "unfinished command", metadata: ["method": "\(ticket.method.name)", "recovery": "\(ticket.method.recovery)"])
      switch ticket.method.recovery {
      case .report:
        await self.journal.conclude(
          ticket,
          with: Failure(
            .aborted, "OUTCOME_UNKNOWN",
            "kithd stopped while \(ticket.method.name) was running. Look at the result before sending it again."))
      case .rerun, .resume:
        guard let route = self.routes[ticket.method.name] else {
          await self.journal.conclude(ticket, with: Self.unserved(ticket.method.name))
          continue
        }
        var context = CallContext(requestID: ticket.requestID, idempotencyKey: ticket.key)
        context.ticket = ticket
        Task { [context] in
          do throws(Failure) {
            try await route.handler.resume(command, context, by: self)
          } catch {
            self.logger.warning("unfinished command failed", metadata: ["reason": "\(error.reason)"])
            await self.journal.conclude(ticket, with: error)
          }
        }
      }
    }
  }

  /// Runs an encoded command.
  ///
  /// The answer of a mutating command is stored in protobuf; a client that uses protobuf gets the stored bytes.
  func performEncoded<C: Command>(
    _ body: [UInt8], _ encoding: Encoding, _ handler: Handler<C>, _ context: CallContext
  ) async throws(Failure) -> EncodedAnswer {
    let command = try await self.read(C.self, from: body, encoding)
    try await self.paths.check(command, by: context.principal)
    guard C.method.isMutating else {
      let answer = try await self.look(command, request: body, handler, context)
      return EncodedAnswer(
        body: try self.encode(answer.reply, of: C.method, encoding), attachments: answer.attachments,
        effects: answer.effects)
    }
    let outcome = try await self.commit(command, request: body, encoding: encoding, handler, context)
    let stored = try outcome.get()
    let reply =
      encoding == .pb ? stored : try self.encode(Encoding.pb.decode(C.Reply.self, from: stored), of: C.method, encoding)
    return EncodedAnswer(body: reply, effects: outcome.effects, isReplayed: outcome.isReplayed)
  }

  /// Decodes a body. Large bodies are decoded one after another on a separate thread.
  private func read<C: Command>(
    _ type: C.Type, from body: [UInt8], _ encoding: Encoding
  ) async throws(Failure) -> C {
    guard body.count > Self.smallBody else { return try encoding.decode(type, from: body) }
    return try await withTaskExecutorPreference(self.reading) { () async throws(Failure) in
      try await Self.decode(type, from: body, encoding)
    }
  }

  @concurrent
  private static func decode<C: Command>(
    _ type: C.Type, from body: [UInt8], _ encoding: Encoding
  ) async throws(Failure) -> C {
    try encoding.decode(type, from: body)
  }

  /// Encodes a reply, and logs a reply that cannot be encoded.
  private func encode(
    _ reply: some SwiftProtobuf.Message, of method: Method, _ encoding: Encoding
  ) throws(Failure) -> [UInt8] {
    do throws(Failure) {
      return try encoding.encode(reply)
    } catch {
      var failure = error
      let logID = UUIDv7.make().text
      self.logger.error(
        "an answer cannot be written",
        metadata: [
          "method": "\(method.name)", "encoding": "\(encoding)", "field": "\(error.status.details["field"] ?? "")",
          "log_id": "\(logID)",
        ])
      failure.status.details["log_id"] = logID
      failure.status.message += " Please report it with the log (log id \(logID))."
      throw failure
    }
  }

  /// Runs a command from this process.
  private func perform<C: Command>(
    _ command: C, _ handler: Handler<C>, _ context: CallContext
  ) async throws(Failure) -> Answer<C.Reply> {
    try await self.paths.check(command, by: context.principal)
    guard C.method.isMutating else { return try await self.look(command, request: [], handler, context) }
    let outcome = try await self.commit(command, request: [], encoding: .pb, handler, context)
    return Answer(
      try Encoding.pb.decode(C.Reply.self, from: outcome.get()), effects: outcome.effects,
      isReplayed: outcome.isReplayed)
  }

  /// Runs a command that changes nothing, or joins a running one with the same key.
  private func look<C: Command>(
    _ command: C, request: [UInt8], _ handler: Handler<C>, _ context: CallContext
  ) async throws(Failure) -> Answer<C.Reply> {
    guard self.load.withLock({ $0.enter(C.method) }) else { throw Self.full(C.method) }
    defer { self.load.withLock { $0.leave(C.method) } }
    let id = CommandID(principal: context.principal.name, key: context.effectiveKey)
    let content = Array("\(C.method.name)\n".utf8) + request
    return try await self.inFlight.join(id, content: content, context) { progress throws(Failure) in
      try await context.turn?.begin()
      defer { context.turn?.end() }
      var context = context
      context.progress = progress
      return try await handler.run(command, context)
    }
  }

  /// Runs a mutating command, joins a running one with the same key, or returns the stored answer.
  private func commit<C: Command>(
    _ command: C, request: [UInt8], encoding: Encoding, _ handler: Handler<C>, _ context: CallContext
  ) async throws(Failure) -> CommandOutcome {
    guard self.load.withLock({ $0.enter(C.method) }) else { throw Self.full(C.method) }
    defer { self.load.withLock { $0.leave(C.method) } }
    let id = CommandID(principal: context.principal.name, key: context.effectiveKey)
    let content = request.isEmpty ? try Self.deterministic(command) : request
    let ticket = CommandTicket(
      principal: id.principal, key: id.key, requestID: context.requestID, method: C.method,
      fingerprint: self.contentKey.authenticationCode(for: Array(C.method.name.utf8), content))
    return try await self.inFlight.join(id, content: ticket.fingerprint, context) {
      progress throws(Failure) -> CommandOutcome in
      if let stored = try await self.journal.recall(ticket) { return stored }
      try await context.turn?.begin()
      defer { context.turn?.end() }
      if C.method.isLongRunning {
        try await self.journal.accept(ticket, request: encoding == .pb ? content : try Encoding.pb.encode(command))
        context.letOthersStart()
      }
      var context = context
      context.progress = progress
      return try await self.run(command, ticket, handler, context)
    }
  }

  /// Runs an accepted command again after a crash. A client that retries it joins it or gets its stored answer.
  func resume<C: Command>(
    _ command: C, _ ticket: CommandTicket, _ handler: Handler<C>, _ context: CallContext
  ) async throws(Failure) {
    let id = CommandID(principal: ticket.principal, key: ticket.key)
    _ = try await self.inFlight.join(id, content: ticket.fingerprint, context) { progress throws(Failure) in
      // The client may have retried it already.
      if let stored = try await self.journal.recall(ticket) { return stored }
      var context = context
      context.progress = progress
      return try await self.run(command, ticket, handler, context)
    }
  }

  private func run<C: Command>(
    _ command: C, _ ticket: CommandTicket, _ handler: Handler<C>, _ context: CallContext
  ) async throws(Failure) -> CommandOutcome {
    var context = context
    context.ticket = ticket
    do {
      _ = try await handler.run(command, context)
    } catch {
      let id = CommandID(principal: ticket.principal, key: ticket.key)
      // A timeout is not stored as the answer: the client may retry with the same key.
      let failure = error.code == .cancelled && !self.inFlight.isCancelledByUser(id) ? Deadline.exceeded : error
      if ticket.method.isLongRunning { await self.journal.conclude(ticket, with: failure) }
      throw failure
    }
    guard let outcome = ticket.outcome else {
      let failure = Failure.bug(UUIDv7.make().text)
      self.logger.critical(
        "a mutating handler returned without committing its answer",
        metadata: ["method": "\(ticket.method.name)", "log_id": "\(failure.status.details["log_id"] ?? "")"])
      throw failure
    }
    return outcome
  }

  private static func deterministic(_ command: some Command) throws(Failure) -> [UInt8] {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    do {
      return try command.serializedBytes(options: options)
    } catch {
      throw Failure(.invalidArgument, "MALFORMED", "The command cannot be encoded.")
    }
  }

  /// `System/Cancel`: cancels a command of the same principal, named by its request id, its idempotency key, or a job that
  /// was created for it.
  private static func cancel(
    _ inFlight: InFlightCommands, _ commandOfJob: @escaping @Sendable (String) async -> CommandID?
  ) -> Route {
    Route(CancelRequest.self) { request, context throws(Failure) in
      guard request.requestID.isEmpty != request.jobID.isEmpty else {
        throw .invalid(field: "request_id", "name the command to cancel, or a job that it waits for (job_id).")
      }
      var reply = CancelReply()
      if request.jobID.isEmpty {
        reply.cancelled = inFlight.cancel(CommandID(principal: context.principal.name, key: request.requestID))
      } else if let command = await commandOfJob(request.jobID), command.principal == context.principal.name {
        reply.cancelled = inFlight.cancel(command)
      }
      return reply
    }
  }

  /// `System/Services`.
  private static func services(_ served: [Method]) -> Route {
    var reply = ServicesReply()
    reply.services = Methods.all.filter(served.contains).map { method in
      var service = Service()
      service.name = method.name
      service.mutating = method.isMutating
      service.roles = Role.allCases.filter { $0.mayCall(method) }.map(\.rawValue)
      return service
    }
    return Route(ServicesRequest.self) { [reply] _, _ throws(Failure) in reply }
  }

  private static func full(_ method: Method) -> Failure {
    Failure(
      .resourceExhausted, "QUEUE_FULL",
      "\(ServiceLoad.limit) commands of \(method.name.prefix { $0 != "/" }) are in flight already. Send it again in a moment.",
      retryAfterMilliseconds: 500)
  }

  private static func unserved(_ name: String) -> Failure {
    Failure(
      .unimplemented, "SERVICE_UNKNOWN",
      "This hub does not serve '\(name.prefix(80))'. `kith services` lists its methods.")
  }
}

/// Counts the commands in flight of each service and limits them, so that a slow service leaves room for the others.
///
/// A pure value.
struct ServiceLoad: Sendable {
  /// The most commands in flight of one service: docs/protocol.md, 9.
  static let limit = 256

  private var counts: [Substring: Int] = [:]

  /// Adds a command.
  ///
  /// - Returns: false if the service is at its limit.
  mutating func enter(_ method: Method) -> Bool {
    let service = Self.service(method)
    guard self.counts[service, default: 0] < Self.limit else { return false }
    self.counts[service, default: 0] += 1
    return true
  }

  /// Removes a command that was added.
  mutating func leave(_ method: Method) {
    let service = Self.service(method)
    guard let count = self.counts[service] else { return }
    self.counts[service] = count > 1 ? count - 1 : nil
  }

  private static func service(_ method: Method) -> Substring { method.name.prefix { $0 != "/" } }
}
