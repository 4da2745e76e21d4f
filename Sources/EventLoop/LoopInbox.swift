/// The jobs that wait for a loop, and whether it must be woken for the next one.
struct LoopInbox: Sendable {
  enum Entry: Sendable {
    case job(UnownedJob)
    case closure(@Sendable () -> Void)
  }

  enum Acceptance {
    case accepted
    case acceptedAndAsleep
    case refused
  }

  private(set) var state = LoopState()
  private var entries: [Entry] = []
  private var isAsleep = false
  /// How often an enqueue had to wake the loop.
  private(set) var wakeups = 0

  /// Jobs that wait, without those that the loop has taken.
  var count: Int { entries.count }

  mutating func append(_ entry: Entry) -> Acceptance {
    guard state.acceptsJobs else { return .refused }
    entries.append(entry)
    return wake() ? .acceptedAndAsleep : .accepted
  }

  /// Asks the loop to end. Returns whether it must be woken for that.
  mutating func close() -> Bool {
    state.close() && wake()
  }

  /// Swaps the waiting jobs for an empty array and says what comes next.
  ///
  /// - Parameter batch: Empty; receives the jobs. Its storage is used for the next ones.
  mutating func take(_ batch: inout [Entry]) -> LoopState.Directive {
    swap(&batch, &entries)
    return state.next(hasJobs: !batch.isEmpty)
  }

  /// Notes that the loop goes to wait, so that the next job wakes it. Returns false when there is something to do first.
  mutating func sleep() -> Bool {
    isAsleep = entries.isEmpty && state.phase == .open
    return isAsleep
  }

  /// Notes that the loop runs again, so that nobody wakes it in vain.
  mutating func awake() {
    isAsleep = false
  }

  private mutating func wake() -> Bool {
    guard isAsleep else { return false }
    isAsleep = false
    wakeups += 1
    return true
  }
}

/// The life of an event loop: open, closing, drained, exited.
///
/// Closing runs what was enqueued, drained has released timers and watches (which may enqueue a last few jobs: the
/// `isolated deinit` of their actors), and exited takes no more jobs.
struct LoopState: Hashable, Sendable {
  enum Phase: Hashable, Sendable {
    case open
    case closing
    case drained
    case exited
  }

  /// What the loop does after it has looked at its inbox.
  enum Directive: Hashable, Sendable {
    /// Run the jobs that were taken, then poll.
    case run
    /// Nothing to run: poll until there is.
    case wait
    /// Release timers and watches, then look again.
    case releaseSources
    /// Leave the thread.
    case exit
  }

  private(set) var phase = Phase.open

  /// Whether a job that is enqueued now will run.
  var acceptsJobs: Bool { phase != .exited }

  /// Asks the loop to end. Returns false when that was done before.
  mutating func close() -> Bool {
    guard phase == .open else { return false }
    phase = .closing
    return true
  }

  /// Decides the next step from whether any job was waiting.
  mutating func next(hasJobs: Bool) -> Directive {
    switch (phase, hasJobs) {
    case (_, true):
      return .run
    case (.open, false):
      return .wait
    case (.closing, false):
      phase = .drained
      return .releaseSources
    case (.drained, false):
      phase = .exited
      return .exit
    case (.exited, false):
      return .exit
    }
  }
}
