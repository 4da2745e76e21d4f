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
