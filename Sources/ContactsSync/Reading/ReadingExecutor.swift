internal import Dispatch

/// Runs one reading of a source on a thread of its own, beside the shared thread pool: a network mount that hangs then holds
/// nobody else's.
final class ReadingExecutor: TaskExecutor {
  // A serial queue of its own gets a thread when it has a job, however many others wait for their disks.
  private let queue = DispatchQueue(label: "kith.reading")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // A job is run exactly once, here, on the executor that it was enqueued on.
    self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
