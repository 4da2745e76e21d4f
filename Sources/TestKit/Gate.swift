/// Lets a test and a handler wait for each other.
public final class Gate: Sendable {
  private let arrived = AsyncStream<Void>.makeStream()
  private let opened = AsyncStream<Void>.makeStream()
  private let cancelled = AsyncStream<Void>.makeStream()

  /// Makes a closed gate.
  public init() {}

  /// Says that the handler has arrived, and waits until the gate is opened.
  public func wait() async {
    self.arrived.continuation.yield()
    for await _ in self.opened.stream { break }
  }

  /// Lets handlers go on.
  public func open() { self.opened.continuation.finish() }

  /// Says that the handler has arrived, and waits until its task is cancelled.
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

/// Waits until something is so: for what no event tells of.
///
/// It gives up when the test is out of time, so that a test whose condition never comes fails and does not hang. It leaves the
/// processor to the programs and tests that run beside it.
///
/// - Throws: What `condition` throws; `CancellationError`.
public func until(_ condition: () async throws -> Bool) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    try await Task.sleep(for: .milliseconds(1))
  }
}
