internal import Dispatch

/// Runs an actor's jobs one after another beside the shared thread pool, because they wait for the disk.
final class DiskExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { self.queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job is run exactly once, here, on the executor that it was enqueued on.
    self.queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
