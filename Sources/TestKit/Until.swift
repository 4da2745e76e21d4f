/// Waits until something is so: for what no event tells of.
///
/// It gives up when the test is out of time, so that one that waits in vain fails and does not hang.
///
/// - Throws: What `condition` throws; `CancellationError`.
public func until(_ condition: () async throws -> Bool) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
