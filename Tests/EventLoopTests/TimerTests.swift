import Logging
import Testing

@testable import EventLoop

private actor Ticker: LoopActor {
  nonisolated let loop: LoopExecutor
  private(set) var fired: [String] = []
  private var waiter: CheckedContinuation<Void, Never>?

  init(loop: LoopExecutor) {
    self.loop = loop
  }

  isolated deinit {}

  /// Adds timers out of order, cancels one, and waits for the last.
  func run() async -> Bool {
    let start = ContinuousClock.now
    schedule(at: start + .milliseconds(20)) { $0.fire("second") }
    let cancelled = schedule(at: start + .milliseconds(10)) { $0.fire("cancelled") }
    schedule(at: start + .milliseconds(5)) { $0.fire("first") }
    schedule(at: start + .milliseconds(20)) { $0.fire("third") }
    schedule(at: start + .milliseconds(30)) { $0.finish() }
    let wasCancelled = cancel(cancelled)
    await withCheckedContinuation { waiter = $0 }
    return wasCancelled && !cancel(cancelled)
  }

  private func fire(_ name: String) {
    fired.append(name)
  }

  private func finish() {
    waiter?.resume()
  }
}

struct TimerTests {
  private let epoch = ContinuousClock.now

  @Test("due timers come in the order of their deadlines, equal ones in the order they were added")
  func order() {
    var queue = TimerQueue<String>()
    for (name, seconds) in [("c", 3), ("a", 1), ("d", 3), ("b", 2), ("later", 9)] {
      _ = queue.add(at: epoch + .seconds(seconds), name)
    }
    var due: [String] = []
    while let name = queue.popDue(epoch + .seconds(3), addedBefore: queue.nextSequence) { due.append(name) }
    #expect(due == ["a", "b", "c", "d"])
    #expect(queue.nextDeadline == epoch + .seconds(9))
  }

  @Test("a cancelled timer does not fire, and cancels once")
  func cancel() {
    var queue = TimerQueue<String>()
    let timers = (0..<100).map { queue.add(at: epoch + .seconds($0 % 7), "\($0)") }
    for timer in timers.reversed() {
      let cancellations = [queue.cancel(timer), queue.cancel(timer)]
      #expect(cancellations == [true, false])
    }
    #expect(queue.isEmpty)
  }

  @Test("a timer that is added while timers fire waits for the next turn")
  func addedWhileFiring() {
    var queue = TimerQueue<String>()
    _ = queue.add(at: epoch, "old")
    let bound = queue.nextSequence
    _ = queue.add(at: epoch - .seconds(1), "new")
    #expect(queue.popDue(epoch, addedBefore: bound) == "old")
    #expect(queue.popDue(epoch, addedBefore: bound) == nil)
    #expect(queue.popDue(epoch, addedBefore: queue.nextSequence) == "new")
  }

  @Test("a loop fires its timers in order", .timeLimit(.minutes(5)))
  func loop() async throws {
    try await LoopExecutor.withLoop(poller: DescriptorPoller(), logger: silent) { loop in
      let ticker = Ticker(loop: loop)
      #expect(await ticker.run())
      #expect(await ticker.fired == ["first", "second", "third"])
    }
  }
}
