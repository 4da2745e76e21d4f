/// An actor that runs on an event loop, and may therefore own objects of the loop's thread.
///
/// ```swift
/// actor Port: LoopActor {
///   nonisolated let loop: LoopExecutor     // strong: the executor reference of an actor is unowned
///   private var watch: Watch?
///   private var socket: Socket
///
///   init(loop: LoopExecutor, socket: consuming Socket) {
///     self.loop = loop
///     self.socket = socket
///   }
///
///   func start() {
///     watch = watch(socket.source, for: .readable) { port, _ in port.readable() }
///   }
///
///   private func readable() { /* at most 64 messages; the rest is reported again in the next turn */ }
///
///   isolated deinit {}                     // ends the watch and closes the socket on the loop
/// }
/// ```
///
/// Handlers and timers hold the actor weakly. They are synchronous, run on the loop without a hop, and must not block. An
/// actor that stores a `Watch` or a socket needs an `isolated deinit`, even an empty one: a plain one destroys the stored
/// properties on the thread that releases the last reference.
public protocol LoopActor: Actor {
  /// The event loop of the actor.
  nonisolated var loop: LoopExecutor { get }
}

extension LoopActor {
  /// The loop as the executor for the Swift runtime.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // The actor holds its loop strongly, and a loop's thread holds the loop until its shutdown.
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Runs a closure on the actor later, without creating a task.
  public nonisolated func post(_ body: @escaping @Sendable (isolated Self) -> Void) {
    loop.post { self.assumeIsolated(body) }
  }

  /// Runs a closure on the actor: at once if the caller is on its loop, later otherwise.
  public nonisolated func perform(_ body: @escaping @Sendable (isolated Self) -> Void) {
    if loop.isCurrent { self.assumeIsolated(body) } else { post(body) }
  }

  /// Calls `handler` whenever `source` is ready, until the returned watch is destroyed.
  ///
  /// The handler is called once in each turn while the source is ready. It should take at most 64 messages and leave the
  /// rest for the next turn, so that no source starves the others.
  ///
  /// - Parameters:
  ///   - source: Must stay open while the watch exists.
  ///   - interest: The events to wait for; `Watch.setInterest` changes them.
  ///   - handler: Receives the actor and the events.
  public func watch(
    _ source: PollSource, for interest: Readiness, _ handler: @escaping @Sendable (isolated Self, Readiness) -> Void
  ) -> Watch {
    let id = loop.onLoop { core in
      core.watches.add(source, for: interest) { [weak self] ready in
        self?.assumeIsolated { handler($0, ready) }
      }
    }
    return Watch(loop: loop, id: id)
  }

  /// Calls `action` once, at or soon after `deadline`.
  ///
  /// Timers have a resolution of one millisecond and fire in order of their deadlines. `ContinuousClock` continues while the
  /// machine sleeps, but the wait does not: after a suspend a timer may be late by the rest of the wait.
  ///
  /// - Returns: The timer, for `cancel`.
  @discardableResult
  public func schedule(
    at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable (isolated Self) -> Void
  ) -> LoopTimer {
    loop.onLoop { core in
      core.timers.add(at: deadline) { [weak self] in
        self?.assumeIsolated(action)
      }
    }
  }

  /// Cancels a timer. Returns false if it has fired or was cancelled before.
  @discardableResult
  public func cancel(_ timer: LoopTimer) -> Bool {
    loop.onLoop { $0.timers.cancel(timer) }
  }
}
