internal import KithMessages

/// Runs work within a time limit.
package enum Deadline {
  /// The failure of a command whose time is over.
  package static let exceeded = Failure(
    .deadlineExceeded, "RUNNING_TOO_LONG",
    "The command did not end in time. It is safe to send it again with the same key.")

  /// Runs `work` and cancels it after `limit`.
  ///
  /// - Throws: `DEADLINE_EXCEEDED/RUNNING_TOO_LONG`; otherwise what `work` throws.
  package static func race<Result: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    do {
      return try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await work() }
        group.addTask {
          try await Task.sleep(for: limit)
          throw Self.exceeded
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw Failure.cancelled }
        return first
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .cancelled
    }
  }
}
