/// What waits for I/O on behalf of an event loop.
///
/// A poller belongs to its loop's thread: the loop makes every call, except that `wakeup` may be used from anywhere.
public protocol LoopPoller {
  /// Ends `wait` from any thread.
  var wakeup: any Wakeup { get }

  /// Waits until an item is ready, the wake-up is used, or the time is over, and fills in `ready` of every item.
  ///
  /// An interruption by a signal counts as the end of the time.
  ///
  /// - Parameters:
  ///   - items: The sources to watch. The array is changed in place, its `ready` sets only.
  ///   - milliseconds: The longest wait; 0 looks without waiting, -1 has no limit.
  mutating func wait(_ items: inout [PollItem], milliseconds: Int32)
}

// Safe although it holds a pointer: it is handed to the poller, and never dereferenced in Swift.
/// What a loop can watch.
@safe
public enum PollSource {
  /// A file descriptor: a socket, a pipe, inotify, signalfd, timerfd.
  case descriptor(Int32)
  /// A socket that only the loop's poller understands, such as a libzmq socket.
  case socket(UnsafeMutableRawPointer)
}

/// In which ways a source is, or should be, ready.
public struct Readiness: OptionSet, Hashable, Sendable {
  /// The flags as bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A read would not block.
  public static let readable = Readiness(rawValue: 1)
  /// A write would not block.
  public static let writable = Readiness(rawValue: 2)
  /// The descriptor has failed or its other end is gone. Always reported, never asked for.
  public static let failed = Readiness(rawValue: 4)
}

/// One source in a poller's wait.
public struct PollItem {
  /// What to watch.
  public let source: PollSource
  /// What to wait for.
  public let interest: Readiness
  /// What the poller found.
  public var ready: Readiness = []
  let watch: WatchID
}
