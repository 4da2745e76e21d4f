// Public because `withLock` is compiled into its callers.
public import Glibc

/// A mutex that owns the state that it guards.
///
/// ```swift
/// let count = Lock(0)
/// count.withLock { $0 += 1 }
/// ```
///
/// A function belongs into a struct that is the state, and is never the state itself: Swift would wrap it anew at each access, and call
/// it through all these wrappers. `scripts/check.sh` refuses it.
///
/// It wraps `pthread_mutex_t` because ThreadSanitizer does not see `Synchronization.Mutex` on Linux and reports every
/// access under it as a race.
///
/// `@unchecked` is sound: `state` is reached only inside `withLock`, which holds the mutex, and is itself `Sendable`.
@safe public final class Lock<State: Sendable>: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var state: State

  /// Creates an unlocked lock around `state`.
  public init(_ state: State) {
    self.state = state
    // The mutex lives on the heap because it must keep one address from its initialisation to its destruction.
    unsafe mutex = .allocate(capacity: 1)
    let result = unsafe pthread_mutex_init(mutex, nil)
    precondition(result == 0, "pthread_mutex_init failed with \(result)")
  }

  deinit {
    // No other thread has a reference, so no thread can hold the mutex.
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the state.
  ///
  /// Inlinable, because a generic call takes longer than the lock is held.
  ///
  /// - Important: `body` must be short, and must not take the same lock again: the mutex is not recursive.
  /// - Throws: What `body` throws.
  @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // The pointer is valid for the lifetime of `self`.
    unsafe pthread_mutex_lock(mutex)
    // As above; the same thread unlocks.
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
