internal import EventLoop

/// A fair lock for tasks: one task holds it at a time, in order of arrival. Waiting blocks no thread.
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

  /// Makes an open lock.
  package init() {}

  /// The number of waiting tasks.
  package var waiting: Int { self.state.withLock { $0.waiters.count } }

  /// Runs `work` while this task holds the lock.
  ///
  /// - Throws: `CANCELLED` if the task is cancelled while it waits; otherwise what `work` throws.
  package func withLock<Value>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard await self.enter() else { throw .cancelled }
    defer { self.leave() }
    return try await work()
  }

  /// Waits for the lock. Returns false if the task was cancelled before it got the lock.
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
    // Checked under the lock: the handler of a task that was cancelled earlier has run already and found no waiter.
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
