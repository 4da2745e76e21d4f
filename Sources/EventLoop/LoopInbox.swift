/// The waiting jobs of a loop, and whether the next one must wake it.
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
  /// The number of enqueues that had to wake the loop.
  private(set) var wakeups = 0

  /// The number of waiting jobs, without those of the current turn.
  var count: Int { entries.count }

  mutating func append(_ entry: Entry) -> Acceptance {
    guard state.acceptsJobs else { return .refused }
    entries.append(entry)
    return wake() ? .acceptedAndAsleep : .accepted
  }

  /// Asks the loop to end. Returns whether it must be woken.
  mutating func close() -> Bool {
    state.close() && wake()
  }

  /// Swaps the waiting jobs with an empty array and returns the next step.
  ///
  /// - Parameter batch: Empty; receives the jobs. Its storage is reused for the next jobs.
  mutating func take(_ batch: inout [Entry]) -> LoopState.Directive {
    swap(&batch, &entries)
    return state.next(hasJobs: !batch.isEmpty)
  }

  /// Records that the loop is about to block, so that the next job wakes it. Returns false if there is work to do first.
  mutating func sleep() -> Bool {
    isAsleep = entries.isEmpty && state.phase == .open
    return isAsleep
  }

  /// Records that the loop is awake, so that no unneeded wake-up is written.
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
/// A closing loop runs the enqueued jobs; a drained one has released timers and watches, which may enqueue a few last
/// jobs (the `isolated deinit` of their actors); an exited one accepts no jobs.
struct LoopState: Hashable, Sendable {
  enum Phase: Hashable, Sendable {
    case open
    case closing
    case drained
    case exited
  }

  /// The next step of the loop after it has read its inbox.
  enum Directive: Hashable, Sendable {
    /// Run the jobs that were taken, then poll.
    case run
    /// Poll until there is a job.
    case wait
    /// Release timers and watches, then read the inbox again.
    case releaseSources
    /// End the thread.
    case exit
  }

  private(set) var phase = Phase.open

  /// Whether a job that is enqueued now will run.
  var acceptsJobs: Bool { phase != .exited }

  /// Asks the loop to end. Returns false if it was asked before.
  mutating func close() -> Bool {
    guard phase == .open else { return false }
    phase = .closing
    return true
  }

  /// Returns the next step.
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
