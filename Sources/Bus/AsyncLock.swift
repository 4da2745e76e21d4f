internal import EventLoop

/// A lock for tasks: one has it at a time, in the order in which they began to wait, and no thread is blocked.
///
/// ```swift
/// private let server = AsyncLock()
///
/// func read() async throws(Failure) -> Page {
///   try await self.server.withLock { () async throws(Failure) in try await self.ask() }
/// }
/// ```
package final class AsyncLock: Sendable {
  private struct State {
    var isTaken = false
    var last = 0
    var waiters: [(place: Int, continuation: CheckedContinuation<Bool, Never>)] = []
  }

  private let state = Lock(State())

  /// Makes a lock that nobody has.
  package init() {}

  /// How many tasks wait for it.
  package var waiting: Int { self.state.withLock { $0.waiters.count } }

  /// Does something while no other task has the lock.
  ///
  /// - Throws: `CANCELLED` when the task is cancelled while it waits, and what `work` throws.
  package func withLock<Value>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard await self.enter() else { throw .cancelled }
    defer { self.leave() }
    return try await work()
  }

  /// Waits for the lock; false when the task was cancelled before it had it.
  private func enter(isolation: isolated (any Actor)? = #isolation) async -> Bool {
    let place: Int? = self.state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      state.last += 1
      return state.last
    }
    guard let place else { return true }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { self.wait($0, at: place) }
    } onCancel: {
      self.giveUp(place)
    }
  }

  private func wait(_ continuation: CheckedContinuation<Bool, Never>, at place: Int) {
    // Under the lock: a task that was cancelled before is not found by its handler any more.
    let isMine: Bool? = self.state.withLock { state in
      guard !Task.isCancelled else { return false }
      guard state.isTaken else {
        state.isTaken = true
        return true
      }
      state.waiters.append((place, continuation))
      return nil
    }
    if let isMine { continuation.resume(returning: isMine) }
  }

  private func giveUp(_ place: Int) {
    let waiter = self.state.withLock { state in
      state.waiters.firstIndex { $0.place == place }.map { state.waiters.remove(at: $0).continuation }
    }
    waiter?.resume(returning: false)
  }

  private func leave() {
    let next: CheckedContinuation<Bool, Never>? = self.state.withLock { state in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst().continuation }
      state.isTaken = false
      return nil
    }
    next?.resume(returning: true)
  }
}
