internal import Bus
internal import KithMessages
internal import Synchronization

/// A caller that waits for an answer.
struct Waiter {
  /// Identifies the waiter.
  let id: WaiterID
  /// Receives the FINAL or the failure. Called once, on the event loop.
  let resume: (Result<ReplyFrame, Failure>) -> Void
  /// Receives the progress of a long command, on the event loop.
  let progress: (@Sendable (Progress) -> Void)?
}

/// Identifies a waiter, and records a cancellation that happens before the event loop knows the waiter.
final class WaiterID: Sendable {
  // Relaxed, because the event loop's queue orders it: a cancellation is posted after the mark is set.
  private let cancelled = Atomic(false)

  /// Whether the waiter was cancelled.
  var isCancelled: Bool { self.cancelled.load(ordering: .relaxed) }

  /// Marks the waiter as cancelled.
  func cancel() { self.cancelled.store(true, ordering: .relaxed) }
}

/// A command in flight with its waiters. Belongs to the event loop of its port.
final class PendingCall {
  /// The number of the call in its port, from 1.
  let number: Int
  /// The request.
  var request: RequestFrame
  /// The encoded request.
  var frames: [[UInt8]]
  /// Decides about retries.
  var machine: ResendMachine
  /// The number of the link that accepted it last; 0 = none.
  var link = 0
  /// The waiting callers; more than one if the same request was made twice.
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
