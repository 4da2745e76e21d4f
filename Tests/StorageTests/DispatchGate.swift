import Dispatch
import EventLoop
import TestKit

/// Blocks the writer's thread inside a write until it is opened.
final class DispatchGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let reached = Lock(false)

  /// Blocks the calling thread, for at most four minutes.
  func wait() {
    self.reached.withLock { $0 = true }
    _ = self.semaphore.wait(timeout: .now() + 240)
  }

  func untilReached() async throws { try await until { self.reached.withLock { $0 } } }

  func open() { self.semaphore.signal() }
}
