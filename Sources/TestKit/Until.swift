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
