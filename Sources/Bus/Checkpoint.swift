internal import EventLoop

/// Where a service that answers in batches can go on, if the process that runs it is lost.
///
/// A service says before each batch what its successor has to know after it; at most 2 KiB. One that says nothing is begun
/// again from the start by whoever called it.
public final class Checkpoint: Sendable {
  /// What the attempt before has left; empty = begin at the start.
  public let resumed: [UInt8]
  private let next = Lock<[UInt8]>([])

  /// Makes one.
  public init(resumed: [UInt8] = []) { self.resumed = resumed }

  /// Says what a successor has to know once the next batch is stored.
  public func set(_ bytes: [UInt8]) { self.next.withLock { $0 = bytes } }

  /// What was said last.
  package var current: [UInt8] { self.next.withLock { $0 } }
}
