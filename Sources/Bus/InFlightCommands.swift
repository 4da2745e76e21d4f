internal import EventLoop
internal import KithMessages

/// Identifies a command in flight: its principal, and its request id or idempotency key.
///
/// ```swift
/// let command = InFlightCommands.current  // in a handler: the command that it answers
/// ```
public struct CommandID: Hashable, Sendable {
  let principal: String
  let key: String
}

/// The commands in flight. A second call with the same key joins the first instead of running again.
///
/// The work runs in a separate task, which is cancelled when all of its callers are cancelled.
///
/// ```swift
/// let inFlight = InFlightCommands()
/// let router = Router(routes, inFlight: inFlight, journal: journal, contentKey: key, logger: logger)
/// inFlight.cancelAll(of: "device:hanako")  // the device was revoked
/// ```
public final class InFlightCommands: Sendable {
  private typealias Outcome = Result<any Sendable, Failure>

  private struct Execution {
    let content: [UInt8]
    var task: Task<Void, Never>?
    var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    var sinks: [@Sendable (Progress) -> Void] = []
    /// The request ids of its callers that differ from the key.
    var requests: Set<CommandID> = []
    /// Why it was cancelled; nil if it was not.
    var ending: Ending?
  }

  private enum Ending {
    case byUser
    /// All callers were cancelled.
    case abandoned
  }

  /// A command that has arrived.
  private struct Announcement {
    /// The number of callers that wait for the answer.
    var count = 0
    /// Whether it was started.
    var hasStarted = false
    var isCancelled = false
  }

  private struct State {
    /// By request id and by key.
    var announced: [CommandID: Announcement] = [:]
    var running: [CommandID: Execution] = [:]
    /// The command of each request id that differs from the key.
    var requests: [CommandID: CommandID] = [:]
    var nextWaiter: UInt64 = 0
  }

  private let state = Lock(State())

  /// The command that this task works for; nil if no client waits for it.
  @TaskLocal public static var current: CommandID?

  /// Makes an empty table.
  public init() {}

  /// The number of running commands.
  public var count: Int { self.state.withLock { $0.running.count } }

  /// Runs `work`, or joins the command that runs under `id`.
  ///
  /// - Parameters:
  ///   - content: Distinguishes a retry from another command with the same id.
  ///   - context: The caller's context. A command that joins another releases its place in its connection's order.
  func join<Value: Sendable>(
    _ id: CommandID, content: [UInt8], _ context: CallContext,
    work: @escaping @Sendable (_ progress: @escaping @Sendable (Progress) -> Void) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let waiter = self.state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        self.start(id, waiter, continuation, content: content, context, work: work)
      }
    } onCancel: {
      self.leave(id, waiter)
    }
    guard let value = try outcome.get() as? Value else { throw Self.reused }
    return value
  }

  /// Cancels a command.
  ///
  /// - Parameter name: The principal with a request id or an idempotency key.
  /// - Returns: Whether such a command was announced or running.
  func cancel(_ name: CommandID) -> Bool {
    let (task, isAnnounced) = self.state.withLock { state in
      let id = state.requests[name] ?? name
      state.running[id]?.ending = .byUser
      let isAnnounced = state.announced[name]?.hasStarted == false
      if isAnnounced { state.announced[name]?.isCancelled = true }
      return (state.running[id]?.task, isAnnounced)
    }
    task?.cancel()
    return task != nil || isAnnounced
  }

  /// Cancels all commands of a principal that has lost its rights, except the one that this task works for.
  public func cancelAll(of principal: String) {
    let names = self.state.withLock { state in
      Set(state.announced.keys).union(state.running.keys).union(state.requests.keys)
        .filter { $0.principal == principal && $0 != Self.current && state.requests[$0] != Self.current }
    }
    for name in names { _ = self.cancel(name) }
  }

  /// Records a command that has arrived, so that it can be cancelled before it runs.
  ///
  /// - Parameter names: Its request id and its key.
  func announce(_ names: Set<CommandID>) {
    self.state.withLock { state in
      for name in names { state.announced[name, default: Announcement()].count += 1 }
    }
  }

  /// Removes an announced command that has been answered.
  func retract(_ names: Set<CommandID>) {
    self.state.withLock { state in
      for name in names {
        state.announced[name]?.count -= 1
        if state.announced[name]?.count == 0 { state.announced[name] = nil }
      }
    }
  }

  private func start<Value: Sendable>(
    _ id: CommandID, _ waiter: UInt64, _ continuation: CheckedContinuation<Outcome, Never>, content: [UInt8],
    _ context: CallContext,
    work: @escaping @Sendable (_ progress: @escaping @Sendable (Progress) -> Void) async throws(Failure) -> Value
  ) {
    let refusal = self.state.withLock { state -> Failure? in
      // The cancellation handler may have run before this caller was added.
      guard !Task.isCancelled else { return .cancelled }
      let request = CommandID(principal: id.principal, key: context.requestID)
      for name in [request, id] {
        guard state.announced[name]?.isCancelled != true else { return .cancelled }
        state.announced[name]?.hasStarted = true
      }
      var execution = state.running[id] ?? Execution(content: content)
      guard execution.content == content else { return Self.reused }
      guard execution.ending != .abandoned else { return Self.ending }
      execution.waiters[waiter] = continuation
      if let progress = context.progress { execution.sinks.append(progress) }
      if request != id {
        execution.requests.insert(request)
        state.requests[request] = id
      }
      if execution.task != nil { context.turn?.end() }
      if execution.task == nil {
        execution.task = Task {
          let outcome = await Self.$current.withValue(id) { () async -> Outcome in
            do throws(Failure) {
              return .success(try await work { self.report($0, of: id) })
            } catch {
              return .failure(error)
            }
          }
          self.finish(id, outcome)
        }
      }
      state.running[id] = execution
      return nil
    }
    if let refusal { continuation.resume(returning: .failure(refusal)) }
  }

  private func finish(_ id: CommandID, _ outcome: Outcome) {
    let execution = self.state.withLock { state in
      let execution = state.running.removeValue(forKey: id)
      for request in execution?.requests ?? [] where state.requests[request] == id { state.requests[request] = nil }
      return execution
    }
    for waiter in execution?.waiters.values ?? [:].values { waiter.resume(returning: outcome) }
  }

  private func leave(_ id: CommandID, _ waiter: UInt64) {
    let (continuation, abandoned) = self.state.withLock { state in
      let continuation = state.running[id]?.waiters.removeValue(forKey: waiter)
      let abandoned = continuation != nil && state.running[id]?.waiters.isEmpty == true
      // A command that a person cancelled stays cancelled, even if no caller is left.
      if abandoned, state.running[id]?.ending == nil { state.running[id]?.ending = .abandoned }
      return (continuation, abandoned ? state.running[id]?.task : nil)
    }
    abandoned?.cancel()
    continuation?.resume(returning: .failure(.cancelled))
  }

  private func report(_ progress: Progress, of id: CommandID) {
    for sink in self.state.withLock({ $0.running[id]?.sinks ?? [] }) { sink(progress) }
  }

  /// Whether a person cancelled the command; its end is then final.
  func isCancelledByUser(_ id: CommandID) -> Bool { self.state.withLock { $0.running[id]?.ending == .byUser } }

  private static let ending = Failure(
    .unavailable, "COMMAND_ENDING", "The command exceeded its time and is ending. Send it again in a moment.",
    retryAfterMilliseconds: 500)

  private static let reused = Failure(
    .invalidArgument, "IDEMPOTENCY_KEY_REUSED",
    "This request id or idempotency key belongs to another command. Use a new one for a new command.")
}
