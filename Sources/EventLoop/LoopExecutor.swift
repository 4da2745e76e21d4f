internal import CLinux
internal import Dispatch
public import Logging

/// An executor that runs its jobs on its own thread, between waits for I/O.
///
/// An actor on an event loop may own what belongs to one thread, such as a libzmq socket: all of its methods run on the
/// loop's thread, which the compiler ensures. See `LoopActor`.
///
/// Each turn of the loop fires the due timers, runs the jobs that were waiting at its start, polls the sources, and calls
/// the handlers of ready ones. Jobs run in order; their priority is ignored. The loop blocks only when no job is waiting,
/// and only then does an enqueue write a wake-up.
///
/// The loop keeps its thread until `shutdown`, even without other references.
///
/// ```swift
/// let loop = try LoopExecutor(name: "kith.loop", poller: DescriptorPoller(), logger: logger)
/// loop.post { print("on the loop's thread") }
/// await loop.shutdown()
/// ```
public final class LoopExecutor: SerialExecutor, TaskExecutor {
  /// The name of the thread.
  public let name: String

  private let inbox: Lock<LoopInbox>
  private let wakeup: any Wakeup
  private let logger: Logger
  private let thread = Lock<LoopThread?>(nil)
  private let exit = Lock<ExitSignal>(ExitSignal())
  /// Runs jobs that arrive after the end of a retired loop.
  private let successor = Lock<DispatchQueue?>(nil)
  // `unsafe` is sound: only the loop's thread uses the core: through `onLoop`, which checks that, and from `run`.
  private nonisolated(unsafe) let core: LoopCore

  /// Starts a loop.
  ///
  /// - Parameters:
  ///   - name: The thread's name, of which 15 bytes are shown.
  ///   - poller: Waits for I/O; owned by the loop from now on.
  ///   - logger: Logs jobs that block the loop and jobs after its end.
  ///   - watchdog: Jobs and handlers that take longer are logged as warnings; nil = none are measured.
  /// - Throws: `LoopError` if no thread can be created.
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

  /// 50 ms in debug builds, nil in release builds.
  public static var defaultWatchdog: Duration? {
    #if DEBUG
      .milliseconds(50)
    #else
      nil
    #endif
  }

  /// The number of enqueues that had to wake the loop. A loop that is awake needs no wake-up.
  package var wakeups: Int { inbox.withLock { $0.wakeups } }

  /// The number of waiting jobs, without those of the current turn.
  package var waiting: Int { inbox.withLock { $0.count } }

  // MARK: - Jobs

  /// Enqueues a job of the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    enqueue(.job(UnownedJob(job)))
  }

  /// Runs a closure on the loop, after the jobs that are waiting.
  ///
  /// It creates no task, and the caller does not wait.
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
      // The job's task would wait forever. This happens only if a loop is shut down before its actors are released.
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

  /// Tells `assumeIsolated` whether the caller is on the loop, also outside of jobs, such as in a handler.
  public func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  /// Traps unless the caller is on the loop.
  public func checkIsolated() {
    precondition(isCurrent, "not on the event loop \(name)")
  }

  /// Runs `body` with the state that only the loop's thread may use.
  ///
  /// - Important: Traps off the loop.
  func onLoop<Result>(_ body: (LoopCore) -> Result) -> Result {
    checkIsolated()
    // On the loop's thread, as just checked.
    return unsafe body(core)
  }

  // MARK: - Life

  /// Runs the enqueued jobs, releases timers and watches, and ends the thread.
  ///
  /// Returns when the thread has ended; later calls return at once. Close the actors' sockets first: enqueuing a job later
  /// is an error.
  ///
  /// - Important: Do not call it on the loop itself.
  public func shutdown() async {
    precondition(!isCurrent, "an event loop cannot wait for its own end")
    if inbox.withLock({ $0.close() }) {
      wakeup.wake()
    }
    await withCheckedContinuation { continuation in
      let hasExited = exit.withLock { $0.wait(continuation) }
      if hasExited { continuation.resume() }
    }
    // Taken once, so that only one caller joins the thread.
    thread.withLock({ $0.take() })?.join()
  }

  /// Ends like ``shutdown()``, and runs later jobs one after another on a dispatch queue.
  ///
  /// For a loop whose actors may outlive it and answer that they are closed. Timers and sources are not served any more.
  ///
  /// - Important: Do not call it on the loop itself.
  public func retire() async {
    // Inactive until the thread has ended, so that no job runs concurrently with its last steps.
    let queue = successor.withLock { queue in
      let made = queue ?? DispatchQueue(label: "\(name).retired", attributes: .initiallyInactive)
      queue = made
      return made
    }
    await shutdown()
    queue.activate()
  }

  private func runLate(_ entry: LoopInbox.Entry) {
    // The loop's thread has ended, and the queue runs one entry at a time. The address is valid for the call.
    unsafe kith_set_current_loop(Unmanaged.passUnretained(self).toOpaque())
    defer { kith_set_current_loop(nil) }
    switch entry {
    case .job(let job):
      // Each job is run once; no other thread runs jobs of this executor any more.
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

/// The tasks that wait for the thread's end.
private struct ExitSignal: Sendable {
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var hasFired = false

  /// Adds a waiter. Returns true if the thread has ended already.
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
