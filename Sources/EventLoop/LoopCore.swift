internal import Logging

/// The part of a loop that only its thread uses: poller, timers, watched sources.
final class LoopCore {
  var timers = TimerQueue<() -> Void>()
  var watches = WatchTable<(Readiness) -> Void>()

  private var poller: any LoopPoller
  private var isOpen = true
  private let logger: Logger
  private let watchdog: Duration?

  init(poller: any LoopPoller, logger: Logger, watchdog: Duration?) {
    self.poller = poller
    self.logger = logger
    self.watchdog = watchdog
  }

  /// Runs jobs, timers and handlers until the loop ends.
  func run(_ inbox: Lock<LoopInbox>, on loop: LoopExecutor) {
    var batch: [LoopInbox.Entry] = []
    while true {
      if isOpen { fireTimers() }
      switch inbox.withLock({ $0.take(&batch) }) {
      case .run:
        runBatch(&batch, on: loop)
        if isOpen { poll(inbox) }
      case .wait:
        poll(inbox)
      case .releaseSources:
        isOpen = false
        timers.removeAll()
        watches.removeAll()
      case .exit:
        return
      }
    }
  }

  // MARK: - Steps of a turn

  private func runBatch(_ batch: inout [LoopInbox.Entry], on loop: LoopExecutor) {
    for entry in batch {
      switch entry {
      case .job(let job):
        watched("job") {
          // Each job is removed from the inbox and run once, on the thread of its executor.
          unsafe job.runSynchronously(
            isolatedTo: loop.asUnownedSerialExecutor(), taskExecutor: loop.asUnownedTaskExecutor())
        }
      case .closure(let body):
        watched("closure", body)
      }
    }
    batch.removeAll(keepingCapacity: true)
  }

  private func fireTimers() {
    guard let deadline = timers.nextDeadline else { return }
    let now = ContinuousClock.now
    guard deadline <= now else { return }
    let bound = timers.nextSequence
    while let action = timers.popDue(now, addedBefore: bound) { watched("timer", action) }
  }

  /// Calls the handlers of ready sources. Blocks for a source, timer or job if there is nothing else to do.
  private func poll(_ inbox: Lock<LoopInbox>) {
    var items = watches.takeItems()
    let mayWait = inbox.withLock { $0.sleep() }
    poller.wait(&items, milliseconds: mayWait ? waitLimit() : 0)
    if mayWait { inbox.withLock { $0.awake() } }
    for item in items where !item.ready.isEmpty {
      // Looked up for each item, because a handler may have changed or removed the next registration.
      guard let (handler, ready) = watches.handler(of: item) else { continue }
      watched("handler") { handler(ready) }
    }
    watches.store(items)
  }

  /// The time until the next timer, rounded up so that the timer is due when the wait ends.
  private func waitLimit() -> Int32 {
    guard let deadline = timers.nextDeadline else { return -1 }
    let remaining = (deadline - ContinuousClock.now).components
    guard remaining.seconds < 3600 else { return 3_600_000 }
    let milliseconds = remaining.seconds * 1000 + (remaining.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(max(0, milliseconds))
  }

  private func watched(_ kind: StaticString, _ body: () -> Void) {
    guard let watchdog else { return body() }
    let start = ContinuousClock.now
    body()
    let duration = ContinuousClock.now - start
    if duration > watchdog {
      logger.warning(
        "Event loop was held by one job",
        metadata: ["kind": "\(kind)", "milliseconds": "\(duration / .milliseconds(1))"])
    }
  }
}
