public import Bus
internal import EventLoop
public import KithMessages
internal import SwiftProtobuf

/// What callers use: typed commands, and commands that were encoded elsewhere.
extension ZeroMQPort {
  /// Sends a command, retries it, and waits for its answer.
  public nonisolated func call<C: Command>(
    _ command: C, _ context: CallContext
  ) async throws(Failure) -> Answer<C.Reply> {
    let outcome = await self.send(
      try Self.frame(command, context),
      timeout: context.timeout ?? .milliseconds(Int64(C.method.timeoutMilliseconds)), progress: context.progress)
    return try Self.answer(C.Reply.self, outcome)
  }

  /// Sends an encoded command, retries it, and waits for its answer: for a program that passes on the commands of others.
  ///
  /// - Parameters:
  ///   - request: In either encoding; the answer has the same.
  ///   - timeout: How long to wait. The request's header tells the hub for itself.
  ///   - progress: Called with the progress of a long command, on any thread.
  /// - Returns: The FINAL, whose status may be a failure of the command.
  /// - Throws: If the hub does not answer, or the request exceeds the frame limits.
  public nonisolated func forward(
    _ request: RequestFrame, timeout: Duration, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws(Failure) -> ReplyFrame {
    try await self.send(request, timeout: timeout, progress: progress).get()
  }

  private nonisolated func send(
    _ request: RequestFrame, timeout: Duration, progress: (@Sendable (Progress) -> Void)?
  ) async -> Result<ReplyFrame, Failure> {
    let frames: [[UInt8]]
    do throws(Failure) {
      frames = try request.encoded()
    } catch {
      return .failure(error)
    }
    let waiter = WaiterID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<ReplyFrame, Failure>, Never>) in
        self.perform { port in
          port.submit(
            request, frames, timeout: timeout,
            Waiter(id: waiter, resume: { continuation.resume(returning: $0) }, progress: progress))
        }
      }
    } onCancel: {
      waiter.cancel()
      self.post { $0.cancel(waiter, of: request.header.requestID) }
    }
  }

  /// Sends a command from code on this event loop.
  ///
  /// - Parameter completion: Called once, on the event loop.
  public func start<C: Command>(
    _ command: C, _ context: CallContext = CallContext(),
    completion: @escaping (Result<Answer<C.Reply>, Failure>) -> Void
  ) {
    do throws(Failure) {
      let request = try Self.frame(command, context)
      let waiter = Waiter(
        id: WaiterID(),
        resume: { outcome in
          completion(Result { () throws(Failure) in try Self.answer(C.Reply.self, outcome) })
        }, progress: context.progress)
      self.submit(
        request, try request.encoded(),
        timeout: context.timeout ?? .milliseconds(Int64(C.method.timeoutMilliseconds)), waiter)
    } catch {
      completion(.failure(error))
    }
  }

  // MARK: - Messages

  static func frame<C: Command>(_ command: C, _ context: CallContext) throws(Failure) -> RequestFrame {
    var header = RequestHeader()
    header.requestID = context.requestID
    header.idempotencyKey = context.idempotencyKey
    header.wantProgress = context.progress != nil
    header.token = context.token
    if let timeout = context.timeout { header.timeoutMs = UInt32(clamping: Int64(timeout / .milliseconds(1))) }
    return RequestFrame(
      service: C.method.name, header: header, body: try Encoding.pb.encode(command), attachments: context.attachments)
  }

  private static func answer<Reply: SwiftProtobuf.Message & Sendable>(
    _ type: Reply.Type, _ outcome: Result<ReplyFrame, Failure>
  ) throws(Failure) -> Answer<Reply> {
    let frame = try outcome.get()
    guard frame.header.status.code == .ok else { throw Failure(status: frame.header.status) }
    return Answer(
      try frame.encoding.decode(Reply.self, from: frame.body), attachments: frame.attachments,
      effects: frame.header.effects, isReplayed: frame.header.replayed)
  }
}
