/// An actor that lives on an event loop, and so may own what belongs to the loop's thread.
///
/// ```swift
/// actor Port: LoopActor {
///   nonisolated let loop: LoopExecutor     // strong: the executor reference of an actor is unowned
///   private var watch: Watch?
///   private var socket: Socket
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
/// Handlers and timers hold the actor weakly. They are synchronous, run on the loop without a hop, and must not block.
/// An actor that stores a `Watch` or a socket needs the `isolated deinit`, even an empty one: a plain one destroys its
/// stored properties on whichever thread drops the last reference.
public protocol LoopActor: Actor {
  /// The loop the actor lives on.
  nonisolated var loop: LoopExecutor { get }
}

extension LoopActor {
  /// The loop, as the Swift runtime asks for it.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    // The actor holds its loop strongly, and a loop's thread holds the loop until its shutdown.
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Runs a closure on the actor without making a task, and without waiting for it.
  public nonisolated func post(_ body: @escaping @Sendable (isolated Self) -> Void) {
    loop.post { self.assumeIsolated(body) }
  }

  /// Runs a closure on the actor at once where the caller is on its loop already, and posts it otherwise.
  public nonisolated func perform(_ body: @escaping @Sendable (isolated Self) -> Void) {
    if loop.isCurrent { self.assumeIsolated(body) } else { post(body) }
  }

  /// Calls `handler` whenever `source` is ready, until the returned watch is dropped.
  ///
  /// The handler is called once a turn while the source stays ready, so it can leave work for the next turn: it should
  /// take at most 64 messages a call, so that no source starves the others.
  ///
  /// - Parameters:
  ///   - source: Has to stay open as long as the watch exists.
  ///   - interest: What to wait for; can be changed with `Watch.setInterest`.
  ///   - handler: Gets the actor and what is ready.
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

  /// Calls `action` once, at `deadline` or soon after.
  ///
  /// Timers have a resolution of a millisecond and fire in the order of their deadlines. The clock of Linux's
  /// `ContinuousClock` counts on while the machine sleeps, but the wait does not: after a suspend a timer may be late by
  /// what was left of the wait.
  ///
  /// - Returns: The timer, to cancel it with.
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

  /// Cancels a timer. Returns false when it has fired or was cancelled before.
  @discardableResult
  public func cancel(_ timer: LoopTimer) -> Bool {
    loop.onLoop { $0.timers.cancel(timer) }
  }
}
