internal import Bus
internal import EventLoop
internal import KithMessages

/// The call in this process that waits for a job: its inputs, and the stream of its updates.
struct JobCaller: Sendable {
  /// An update for the caller.
  enum Update: Sendable {
    /// There is progress; ``JobCaller/takeProgress()`` returns it.
    case progress
    /// A batch. At most two are unacknowledged.
    case batch(UInt32, [UInt8])
    /// The end; the last update.
    case ended(Result<[UInt8], Failure>)
    /// The job had ended before the caller attached; the store has its end. The last update.
    case over
  }

  /// Distinguishes this caller from a later one of the same job.
  let token: String
  let isInBatches: Bool
  /// The client's command that needs the job; nil = work of the hub itself.
  let command: CommandID?
  /// The inputs that a worker fetches, by digest.
  let inputs: [String: [UInt8]]
  /// The caller's deadline, in nanoseconds since 1970.
  let deadline: Int64
  let updates: AsyncStream<Update>.Continuation
  /// The progress that the caller has not taken yet.
  private let progress = Lock<Progress?>(nil)

  init(
    token: String, isInBatches: Bool, command: CommandID? = nil, inputs: [String: [UInt8]], deadline: Int64,
    updates: AsyncStream<Update>.Continuation
  ) {
    self.token = token
    self.isInBatches = isInBatches
    self.command = command
    self.inputs = inputs
    self.deadline = deadline
    self.updates = updates
  }

  /// Reports progress. While the caller is busy with a batch, the latest progress replaces the previous one, so that a
  /// worker that reports often does not fill the memory.
  func report(_ progress: Progress) {
    let isFirst = self.progress.withLock { last in
      defer { last = progress }
      return last == nil
    }
    if isFirst { self.updates.yield(.progress) }
  }

  func takeProgress() -> Progress? { self.progress.withLock { $0.take() } }

  func end(_ result: Result<[UInt8], Failure>) {
    self.updates.yield(.ended(result))
    self.updates.finish()
  }
}
