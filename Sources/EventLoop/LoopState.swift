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
