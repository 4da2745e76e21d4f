public import KithMessages

/// Calls placeable services in this process.
///
/// A service makes the next batch while the receiver stores the previous one: at most two batches exist at a time.
///
/// ```swift
/// let port = LocalBatchPort([Route(TranscribeRequest.self, transcribe)], batches: [])
/// let reply = try await port.ask(request)
/// ```
public struct LocalBatchPort: BatchPort, Port {
  private let routes: [String: Route]
  private let batchRoutes: [String: BatchRoute]

  /// Makes a port.
  ///
  /// - Parameters:
  ///   - routes: The methods that answer once. None may be mutating.
  ///   - batches: The methods that answer in batches.
  public init(_ routes: [Route], batches: [BatchRoute]) {
    self.routes = Dictionary(routes.map { ($0.method.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.batchRoutes = Dictionary(batches.map { ($0.method.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Calls the handler, within the timeout of the context or of the method.
  public func call<C: Command>(_ command: C, _ context: CallContext) async throws(Failure) -> Answer<C.Reply> {
    guard let handler = self.routes[C.method.name]?.handler as? Handler<C> else { throw Self.unserved(C.method.name) }
    let limit = context.timeout ?? .milliseconds(Int64(C.method.timeoutMilliseconds))
    return try await Deadline.race(limit) { () async throws(Failure) in try await handler.run(command, context) }
  }

  /// Calls the handler in a separate task and passes its batches on one by one.
  public func call<C: BatchCommand>(
    _ command: C, _ context: CallContext, receive: @escaping @Sendable (C.Batch) async throws(Failure) -> Void
  ) async throws(Failure) -> C.Reply {
    guard let handler = self.batchRoutes[C.method.name]?.handler as? BatchHandler<C> else {
      throw Self.unserved(C.method.name)
    }
    let handoff = Handoff<C.Batch>()
    async let making = Self.make(command, context, handler, into: handoff)
    do throws(Failure) {
      while let batch = await handoff.take() { try await receive(batch) }
    } catch {
      // Wakes the handler, which is cancelled when this scope ends.
      await handoff.close()
      throw error
    }
    return try await making.get()
  }

  /// The names of the served methods.
  package var methods: [String] { Array(self.routes.keys) + Array(self.batchRoutes.keys) }

  /// Runs a method by its name, for a worker.
  ///
  /// - Parameters:
  ///   - command: In protobuf.
  ///   - yield: Takes each batch in protobuf and returns when the next one is wanted.
  /// - Returns: The reply in protobuf.
  @concurrent
  package func run(
    _ method: String, _ command: [UInt8], _ context: CallContext,
    yield: @escaping @Sendable ([UInt8]) async throws(Failure) -> Void
  ) async throws(Failure) -> [UInt8] {
    if let route = self.routes[method] { return try await route.handler.answer(command, context) }
    guard let route = self.batchRoutes[method] else { throw Self.unserved(method) }
    return try await route.handler.answer(command, context, yield)
  }

  @concurrent
  private static func make<C: BatchCommand>(
    _ command: C, _ context: CallContext, _ handler: BatchHandler<C>, into handoff: Handoff<C.Batch>
  ) async -> Result<C.Reply, Failure> {
    let result: Result<C.Reply, Failure>
    do throws(Failure) {
      result = .success(
        try await handler.run(command, context) { batch throws(Failure) in try await handoff.give(batch) })
    } catch {
      result = .failure(error)
    }
    await handoff.close()
    return result
  }

  private static func unserved(_ method: String) -> Failure {
    Failure(.unimplemented, "SERVICE_UNKNOWN", "This process does not serve '\(method.prefix(80))'.")
  }
}
