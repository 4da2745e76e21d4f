internal import CLinux
package import Glibc

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

/// A poller for descriptors alone, by poll(2).
///
/// With nothing to watch it waits for jobs only, which makes a loop the one-thread executor of a library that blocks.
public struct DescriptorPoller: LoopPoller {
  private let event: EventDescriptor
  private var descriptors: [pollfd] = []

  /// Opens the wake-up.
  ///
  /// - Throws: `LoopError` when no descriptor is left.
  public init() throws(LoopError) {
    event = try EventDescriptor()
  }

  /// Ends a wait from any thread.
  public var wakeup: any Wakeup { event }

  /// Waits for the items and the wake-up; see `LoopPoller.wait`.
  public mutating func wait(_ items: inout [PollItem], milliseconds: Int32) {
    descriptors.removeAll(keepingCapacity: true)
    descriptors.append(pollfd(event.descriptor, for: .readable))
    for item in items {
      guard case .descriptor(let descriptor) = item.source else {
        preconditionFailure("DescriptorPoller watches descriptors; this socket needs the poller of its own library")
      }
      descriptors.append(pollfd(descriptor, for: item.interest))
    }
    // The array is not touched during the call and holds `count` elements.
    let ready = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    for index in items.indices {
      items[index].ready = ready > 0 ? Readiness(poll: descriptors[index + 1].revents) : []
    }
    if ready > 0, descriptors[0].revents != 0 {
      event.reset()
    }
  }
}

extension pollfd {
  /// A descriptor as poll(2) takes it.
  package init(_ descriptor: Int32, for interest: Readiness) {
    var events: Int32 = 0
    if interest.contains(.readable) { events |= POLLIN }
    if interest.contains(.writable) { events |= POLLOUT }
    self.init(fd: descriptor, events: Int16(events), revents: 0)
  }
}

extension Readiness {
  /// The flags that poll(2) gives back.
  package init(poll events: Int16) {
    self = []
    let events = Int32(events)
    if events & (POLLIN | POLLHUP) != 0 { insert(.readable) }
    if events & POLLOUT != 0 { insert(.writable) }
    if events & (POLLERR | POLLNVAL | POLLHUP) != 0 { insert(.failed) }
  }
}
