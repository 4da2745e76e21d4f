internal import CLinux
internal import Dispatch
internal import EventLoop
internal import GRDB

/// Returns memory to the system after a burst of work.
///
/// SQLite keeps its caches and statements, and the C library keeps gaps in its heaps: about ten megabytes after the
/// first pass over a large source. A store with little work sets no timer.
final class MemoryRelease: Sendable {
  private struct State {
    var rows = 0
    var isWaiting = false
  }

  private let pool: DatabasePool
  private let quiet: Duration
  private let released: @Sendable () -> Void
  private let state = Lock(State())
  private let queue = DispatchQueue(label: "kith.memory", qos: .utility)

  /// Creates the release for a store.
  ///
  /// - Parameters:
  ///   - quiet: How long no work must arrive.
  ///   - released: Called after each release.
  init(_ pool: DatabasePool, quiet: Duration = .seconds(5), released: @escaping @Sendable () -> Void = {}) {
    self.pool = pool
    self.quiet = quiet
    self.released = released
  }

  /// Adds an estimate of rows read or written; callable on any thread.
  func note(rows: Int) {
    let count = self.state.withLock { state -> Int? in
      state.rows += rows
      guard !state.isWaiting, state.rows >= Self.threshold else { return nil }
      state.isWaiting = true
      return state.rows
    }
    if let count { self.release(ifStillAt: count) }
  }

  /// Whether a release is scheduled.
  var isWaiting: Bool { self.state.withLock { $0.isWaiting } }

  private func release(ifStillAt count: Int) {
    let delay = DispatchTimeInterval.milliseconds(Int(self.quiet / .milliseconds(1)))
    self.queue.asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self else { return }
      let rows = self.state.withLock { state in
        defer { if state.rows == count { state = State() } }
        return state.rows
      }
      guard rows == count else { return self.release(ifStillAt: rows) }
      self.pool.releaseMemory()
      malloc_trim(0)
      self.released()
    }
  }

  /// Fewer rows leave too little memory to release.
  private static let threshold = 1000
}
