internal import Bus

/// Lets one through at a time, in the order in which they came.
actor Turnstile {
  private var isTaken = false
  private var waiters: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  private var nextID = 0

  /// Runs `work` when it is its turn.
  ///
  /// - Throws: `CANCELLED` when the task is cancelled while it waits, and what `work` throws.
  nonisolated func pass<Result: Sendable>(
    _ work: @Sendable () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    guard await self.enter() else { throw .cancelled }
    do throws(Failure) {
      let result = try await work()
      await self.leave()
      return result
    } catch {
      await self.leave()
      throw error
    }
  }

  /// Waits for the turn; false when it was given up.
  private func enter() async -> Bool {
    guard self.isTaken else {
      self.isTaken = true
      return true
    }
    let id = self.nextID
    self.nextID += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // A task that was cancelled before would never be found by its handler.
        if Task.isCancelled { continuation.resume(returning: false) } else { self.waiters.append((id, continuation)) }
      }
    } onCancel: {
      Task { await self.giveUp(id) }
    }
  }

  private func giveUp(_ id: Int) {
    guard let index = self.waiters.firstIndex(where: { $0.id == id }) else { return }
    self.waiters.remove(at: index).continuation.resume(returning: false)
  }

  private func leave() {
    if self.waiters.isEmpty {
      self.isTaken = false
    } else {
      self.waiters.removeFirst().continuation.resume(returning: true)
    }
  }
}
