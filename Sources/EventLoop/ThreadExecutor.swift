internal import Dispatch

/// Runs what blocks on a thread of its own, beside the shared thread pool: what hangs then holds nobody else's.
///
/// ```swift
/// try await withTaskExecutorPreference(ThreadExecutor(name: "kith.reading")) { await self.read() }
/// ```
///
/// It serves what prefers an executor, which is a function that is `@concurrent`.
public final class ThreadExecutor: TaskExecutor {
  // A serial queue of its own gets a thread when it has a job, however many others wait.
  private let queue: DispatchQueue

  /// Makes an executor. Its thread begins with its first job.
  ///
  /// - Parameter name: Of the queue, for debuggers.
  public init(name: String) { self.queue = DispatchQueue(label: name) }

  /// Takes a job from the Swift runtime.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job is run exactly once, here, on the executor that it was enqueued on.
    self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Runs what blocks on a thread of its own, and waits for it.
  ///
  /// - Parameters:
  ///   - name: Of the queue, for debuggers.
  ///   - stop: Becomes readable when the task is cancelled: what blocks watches it and ends then.
  ///   - work: Runs from its beginning to its end on the one thread.
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
