internal import Dispatch

/// Runs blocking work on its own thread, so that it does not block the shared thread pool.
///
/// ```swift
/// try await withTaskExecutorPreference(ThreadExecutor(name: "kith.reading")) { await self.read() }
/// ```
///
/// Only `@concurrent` functions run on a preferred executor.
public final class ThreadExecutor: TaskExecutor {
  // A separate serial queue gets a thread even if other queues are blocked.
  private let queue: DispatchQueue

  /// Makes an executor. Its thread starts with its first job.
  ///
  /// - Parameter name: The name of the queue, for debuggers.
  public init(name: String) { self.queue = DispatchQueue(label: name) }

  /// Enqueues a job of the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The job is run exactly once, here, on its executor.
    self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs blocking work on its own thread and waits for it.
  ///
  /// - Parameters:
  ///   - name: The name of the queue, for debuggers.
  ///   - stop: Becomes readable when the task is cancelled; `work` watches it and then ends.
  ///   - work: Runs on one thread from start to end.
  /// - Throws: What `work` throws.
  public static func run<Success: Sendable, Failure: Error>(
    name: String, stop: EventDescriptor, _ work: @escaping @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    let result = await withTaskCancellationHandler {
      await withTaskExecutorPreference(ThreadExecutor(name: name)) { await Self.perform(work) }
    } onCancel: {
      stop.wake()
    }
    return try result.get()
  }

  @concurrent
  private static func perform<Success: Sendable, Failure: Error>(
    _ work: @Sendable () throws(Failure) -> Success
  ) async -> Result<Success, Failure> {
    do throws(Failure) {
      return .success(try work())
    } catch {
      return .failure(error)
    }
  }
}
