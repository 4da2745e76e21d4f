internal import Bus
internal import KithMessages
internal import Synchronization

/// One caller that waits for an answer.
struct Waiter {
  /// Names it among all waiters.
  let id: WaiterID
  /// Gets the FINAL, or why there is none. Called once, on the loop.
  let resume: (Result<ReplyFrame, Failure>) -> Void
  /// Gets what a long command reports, on the loop.
  let progress: (@Sendable (Progress) -> Void)?
}

/// Names a waiter, and remembers that its task was cancelled before it was known on the loop.
final class WaiterID: Sendable {
  // Relaxed, because the loop's queue orders it: a cancellation that finds no call was posted after it was marked.
  private let cancelled = Atomic(false)

  /// Whether it was cancelled.
  var isCancelled: Bool { self.cancelled.load(ordering: .relaxed) }

  /// Marks it.
  func cancel() { self.cancelled.store(true, ordering: .relaxed) }
}

/// A command on its way, with those who wait for it. Belongs to the loop of its port.
final class PendingCall {
  /// Its place among the calls of its port, counted from 1.
  let number: Int
  /// What is sent.
  var request: RequestFrame
  /// The same, encoded.
  var frames: [[UInt8]]
  /// When to send it again.
  var machine: ResendMachine
  /// The number of the link that took it last; 0 = none.
  var link = 0
  /// Who waits; more than one when the same request was made twice.
  var waiters: [Waiter]

  init(_ number: Int, _ request: RequestFrame, frames: [[UInt8]], machine: ResendMachine, waiter: Waiter) {
    self.number = number
    self.request = request
    self.frames = frames
    self.machine = machine
    self.waiters = [waiter]
  }

  var id: String { self.request.header.requestID }
}
