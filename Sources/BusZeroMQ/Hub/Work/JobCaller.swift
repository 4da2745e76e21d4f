internal import Bus
internal import EventLoop
internal import KithMessages

/// The call in this process that waits for a job: what belongs to its command, and where updates of the job go.
struct JobCaller: Sendable {
  /// What the caller is told.
  enum Update: Sendable {
    /// It is further on; ``JobCaller/takeProgress()`` says how far.
    case progress
    /// A batch. At most two are unacknowledged.
    case batch(UInt32, [UInt8])
    /// The last.
    case ended(Result<[UInt8], Failure>)
    /// The last: it had ended before the caller came, and the store has its end.
    case over
  }

  /// Tells one caller of a job from a later one.
  let token: String
  let isInBatches: Bool
  /// The client's command that needs the job; nil = the hub's own work.
  let command: CommandID?
  /// What a worker fetches, by digest.
  let inputs: [String: [UInt8]]
  /// Until when it waits, nanoseconds since 1970.
  let deadline: Int64
  let updates: AsyncStream<Update>.Continuation
  /// What the caller has not taken yet.
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

  /// Tells how far it is. While the caller is busy with a batch the last word takes the place of the one before, lest a
  /// worker that says much fills the memory.
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
