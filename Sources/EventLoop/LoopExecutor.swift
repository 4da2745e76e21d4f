internal import CLinux
internal import Dispatch
public import Logging

/// An executor whose jobs run on one thread of its own, between waits for I/O.
///
/// An actor that lives on a loop may hold what belongs to a single thread, such as a libzmq socket: the compiler keeps
/// others out, and every method runs on the loop's thread. See `LoopActor` for how to write one.
///
/// Each turn of the loop fires the timers that are due, runs the jobs that were waiting when it began, looks at the
/// watched sources, and calls the handlers of those that are ready. Jobs run in the order in which they were enqueued;
/// their priority is ignored. It waits for I/O only when no job is waiting, and only then is a wake-up written for the
/// next job.
///
/// The loop keeps its thread until `shutdown`, also when nobody else refers to it.
public final class LoopExecutor: SerialExecutor, TaskExecutor {
  /// The name of the thread.
  public let name: String

  private let inbox: Lock<LoopInbox>
  private let wakeup: any Wakeup
  private let logger: Logger
  private let thread = Lock<LoopThread?>(nil)
  private let exit = Lock<ExitSignal>(ExitSignal())
  /// Takes what comes after the end of a loop that was retired.
  private let successor = Lock<DispatchQueue?>(nil)
  // `unsafe` is sound: only the loop's thread touches the core: through `onLoop`, which checks that, and from `run`.
  private nonisolated(unsafe) let core: LoopCore

  /// Starts a loop.
  ///
  /// - Parameters:
  ///   - name: Of the thread; 15 bytes are shown.
  ///   - poller: Waits for I/O; belongs to the loop from now on.
  ///   - logger: Told of jobs that hold the loop, and of jobs that come too late.
  ///   - watchdog: Jobs and handlers that take longer are logged as warnings. Nil measures nothing.
  /// - Throws: `LoopError` when the system refuses the thread.
  public init(
    name: String, poller: sending some LoopPoller, logger: Logger, watchdog: Duration? = LoopExecutor.defaultWatchdog
  ) throws(LoopError) {
    self.name = name
    self.logger = logger
    wakeup = poller.wakeup
    inbox = Lock(LoopInbox())
    // Handed over to the thread that is started below.
    unsafe core = LoopCore(poller: poller, logger: logger, watchdog: watchdog)
    let started = try LoopThread(name: name) { self.run() }
    thread.withLock { $0 = started }
  }

  /// 50 ms in debug builds; release builds measure nothing.
  public static var defaultWatchdog: Duration? {
    #if DEBUG
      .milliseconds(50)
    #else
      nil
    #endif
  }

  /// How often an enqueue had to wake the loop: fewer than jobs, because a loop that is awake is left alone.
  package var wakeups: Int { inbox.withLock { $0.wakeups } }

  /// Jobs that wait for the loop, without those that it has taken.
  package var waiting: Int { inbox.withLock { $0.count } }

  // MARK: - Jobs

  /// Takes a job from the Swift runtime, after what is waiting already.
  public func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.job(UnownedJob(job)))
  }

  /// Runs a closure on the loop, after what is waiting there.
  ///
  /// This is the cheap way in: no task is made and nobody waits.
  public func post(_ body: @escaping @Sendable () -> Void) {
    enqueue(.closure(body))
  }

  private func enqueue(_ entry: LoopInbox.Entry) {
    switch inbox.withLock({ $0.append(entry) }) {
    case .accepted:
      break
    case .acceptedAndAsleep:
      wakeup.wake()
    case .refused:
      if let successor = successor.withLock({ $0 }) { return successor.async { self.runLate(entry) } }
      // Its task would wait for ever. Only a loop that was shut down before its actors were released gets here.
      logger.critical("Job enqueued on an event loop that has exited", metadata: ["loop": "\(name)"])
      assertionFailure("a job was enqueued on the event loop \(name) after its shutdown")
    }
  }

  // MARK: - Isolation

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool {
    // Compared as addresses, never dereferenced.
    unsafe kith_current_loop() == Unmanaged.passUnretained(self).toOpaque()
  }

  /// Tells `assumeIsolated` whether the caller is on the loop, also where no job runs, such as in a handler.
  public func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  /// Traps unless the caller is on the loop.
  public func checkIsolated() {
    precondition(isCurrent, "not on the event loop \(name)")
  }

  /// Runs `body` with what only the loop's thread may touch.
  ///
  /// - Important: Traps off the loop.
  func onLoop<Result>(_ body: (LoopCore) -> Result) -> Result {
    checkIsolated()
    // On the loop's thread, as just checked.
    return unsafe body(core)
  }

  // MARK: - Life

  /// Runs what has been enqueued, releases timers and watches, and ends the thread.
  ///
  /// Returns when the thread is gone; later calls return at once. Close the actors' sockets first: a job that is
  /// enqueued later is a fault.
  ///
  /// - Important: Not to be called on the loop itself.
  public func shutdown() async {
    precondition(!isCurrent, "an event loop cannot wait for its own end")
    if inbox.withLock({ $0.close() }) {
      wakeup.wake()
    }
    await withCheckedContinuation { continuation in
      let hasExited = exit.withLock { $0.wait(continuation) }
      if hasExited { continuation.resume() }
    }
    // Taken out once, so that only one caller joins.
    thread.withLock({ $0.take() })?.join()
  }

  /// Ends as ``shutdown()`` does, and has what comes later run elsewhere, one job after another.
  ///
  /// For a loop whose actors live as long as somebody holds them, and answer that they are closed. Nothing is waited for any
  /// more: neither timers nor sources.
  ///
  /// - Important: Not to be called on the loop itself.
  public func retire() async {
    // Inactive until the thread is gone, so that nothing runs beside its last steps.
    let queue = successor.withLock { queue in
      let made = queue ?? DispatchQueue(label: "\(name).retired", attributes: .initiallyInactive)
      queue = made
      return made
    }
    await shutdown()
    queue.activate()
  }

  private func runLate(_ entry: LoopInbox.Entry) {
    // The loop's own thread is gone, and the queue runs one entry at a time. The address is valid for the call.
    unsafe kith_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
    defer { kith_set_current_loop(nil) }
    switch entry {
    case .job(let job):
      // Taken once and run once, where nobody else runs jobs of this executor any more.
      unsafe job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    case .closure(let body):
      body()
    }
  }

  private func run() {
    // The address stays valid: the closure of the thread holds `self` until after the last line.
    unsafe kith_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
    // This is the loop's thread.
    unsafe core.run(inbox, on: self)
    kith_set_current_loop(nil)
    for waiter in exit.withLock({ $0.fire() }) {
      waiter.resume()
    }
  }
}

/// Those who wait for a thread's end.
private struct ExitSignal: Sendable {
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var hasFired = false

  /// Keeps a waiter; returns true when there is nothing to wait for any more.
  mutating func wait(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    if !hasFired { waiters.append(waiter) }
    return hasFired
  }

  mutating func fire() -> [CheckedContinuation<Void, Never>] {
    hasFired = true
    defer { waiters = [] }
    return waiters
  }
}

extension LoopExecutor {
  /// Runs `body` with a loop that is shut down when it returns or throws.
  ///
  /// - Important: Whatever lives on the loop must be released by then.
  /// - Throws: `LoopError` when the loop cannot start, and what `body` throws.
  public static func withLoop<Result>(
    name: String = "loop", poller: sending some LoopPoller, logger: Logger,
    _ body: (LoopExecutor) async throws -> Result
  ) async throws -> Result {
    let loop = try LoopExecutor(name: name, poller: poller, logger: logger)
    do {
      let result = try await body(loop)
      await loop.shutdown()
      return result
    } catch {
      await loop.shutdown()
      throw error
    }
  }
}
