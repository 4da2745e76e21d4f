public import Logging

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
