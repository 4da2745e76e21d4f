internal import CLinux
internal import Glibc

/// Something that ends a poller's wait from any thread.
public protocol Wakeup: Sendable {
  /// Ends the wait that is under way, or the next one.
  func wake()
}

/// A wake-up through an event counter, for pollers that watch descriptors. eventfd(2).
public final class EventDescriptor: Wakeup {
  /// Readable after `wake` until `reset`. Owned by this object.
  public let descriptor: Int32

  /// Opens the counter.
  ///
  /// - Throws: `LoopError` when no descriptor is left.
  public init() throws(LoopError) {
    descriptor = kith_eventfd()
    guard descriptor >= 0 else { throw LoopError(call: "eventfd") }
  }

  deinit {
    close(descriptor)
  }

  /// Makes the descriptor readable.
  public func wake() {
    kith_eventfd_raise(descriptor)
  }

  /// Takes the wake-ups that have arrived.
  public func reset() {
    kith_eventfd_reset(descriptor)
  }
}
