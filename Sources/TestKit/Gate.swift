/// Synchronises a test with a handler.
public final class Gate: Sendable {
  private let arrived = AsyncStream<Void>.makeStream()
  private let opened = AsyncStream<Void>.makeStream()
  private let cancelled = AsyncStream<Void>.makeStream()

  /// Makes a closed gate.
  public init() {}

  /// Reports the handler's arrival, and waits until the gate is opened.
  public func wait() async {
    self.arrived.continuation.yield()
    for await _ in self.opened.stream { break }
  }

  /// Opens the gate.
  public func open() { self.opened.continuation.finish() }

  /// Reports the handler's arrival, and waits until its task is cancelled.
  public func waitForCancellation() async {
    self.arrived.continuation.yield()
    // A cancelled task's iteration ends at once.
    for await _ in self.opened.stream {}
    self.cancelled.continuation.finish()
  }

  /// Waits until a handler has arrived.
  public func arrival() async { for await _ in self.arrived.stream { break } }

  /// Waits until a handler was cancelled.
  public func cancellation() async { for await _ in self.cancelled.stream {} }
}

/// Waits until a condition is true, for conditions without an event.
///
/// It throws at the test's time limit, so that a test fails instead of hanging. It sleeps between checks, so that other
/// programs and tests can run.
///
/// - Throws: What `condition` throws; `CancellationError`.
public func until(_ condition: () async throws -> Bool) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    try await Task.sleep(for: .milliseconds(1))
  }
}
