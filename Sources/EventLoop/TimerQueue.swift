/// A timer of an event loop, for `LoopActor.cancel`.
///
/// ```swift
/// let timer = self.schedule(at: .now + .seconds(5)) { $0.giveUp() }
/// self.cancel(timer)
/// ```
public struct LoopTimer: Hashable, Sendable, Comparable {
  /// When it fires.
  public let deadline: ContinuousClock.Instant
  let sequence: UInt64

  /// Orders by deadline, then by age.
  public static func < (left: LoopTimer, right: LoopTimer) -> Bool {
    (left.deadline, left.sequence) < (right.deadline, right.sequence)
  }
}

/// Deadlines in order with their actions. Equal deadlines keep their order of addition.
struct TimerQueue<Action> {
  /// Latest first, so that the next one is last.
  private var entries: [(timer: LoopTimer, action: Action)] = []
  private(set) var nextSequence: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  var nextDeadline: ContinuousClock.Instant? { entries.last?.timer.deadline }

  mutating func add(at deadline: ContinuousClock.Instant, _ action: Action) -> LoopTimer {
    let timer = LoopTimer(deadline: deadline, sequence: nextSequence)
    nextSequence += 1
    entries.insert((timer, action), at: position(of: timer))
    return timer
  }

  /// Removes a timer. Returns false if it has fired or was cancelled before.
  mutating func cancel(_ timer: LoopTimer) -> Bool {
    let index = position(of: timer)
    guard index < entries.endIndex, entries[index].timer == timer else { return false }
    entries.remove(at: index)
    return true
  }

  /// Removes the first due timer that was added before `sequence`, and returns its action.
  ///
  /// The bound prevents a timer that adds another due timer from blocking the loop.
  mutating func popDue(_ now: ContinuousClock.Instant, addedBefore sequence: UInt64) -> Action? {
    guard
      let index = entries.lastIndex(where: { $0.timer.deadline > now || $0.timer.sequence < sequence }),
      entries[index].timer.deadline <= now
    else { return nil }
    return entries.remove(at: index).action
  }

  mutating func removeAll() {
    entries.removeAll()
  }

  /// The index of `timer`, or where it belongs, by binary search.
  private func position(of timer: LoopTimer) -> Int {
    var low = entries.startIndex
    var high = entries.endIndex
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].timer > timer {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
