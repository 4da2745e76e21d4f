internal import CLinux
package import Glibc

/// Waits for I/O for an event loop.
///
/// A poller belongs to its loop's thread, except that `wakeup` may be used on any thread.
///
/// ```swift
/// struct CountingPoller: LoopPoller {
///   private var poller: DescriptorPoller
///   private var waits = 0
///   var wakeup: any Wakeup { poller.wakeup }
///   mutating func wait(_ items: inout [PollItem], milliseconds: Int32) {
///     waits += 1
///     poller.wait(&items, milliseconds: milliseconds)
///   }
/// }
/// ```
public protocol LoopPoller {
  /// Ends `wait` from any thread.
  var wakeup: any Wakeup { get }

  /// Waits until an item is ready, `wakeup` is used, or the time is over, and sets `ready` of every item.
  ///
  /// A signal ends the wait like the end of the time.
  ///
  /// - Parameters:
  ///   - items: The sources to watch. Only their `ready` sets are changed.
  ///   - milliseconds: The longest wait; 0 = no wait, -1 = no limit.
  mutating func wait(_ items: inout [PollItem], milliseconds: Int32)
}

// Safe although it holds a pointer: only the poller uses it.
/// A source that an event loop can watch.
///
/// ```swift
/// let input = PollSource.descriptor(STDIN_FILENO)
/// ```
@safe
public enum PollSource {
  /// A file descriptor: a socket, a pipe, inotify, signalfd, timerfd.
  case descriptor(Int32)
  /// A socket that only the loop's poller can poll, such as a libzmq socket.
  case socket(UnsafeMutableRawPointer)
}

/// The ways in which a source is ready, or is waited for.
///
/// ```swift
/// let watch = self.watch(.descriptor(socket), for: [.readable, .writable]) { $0.handle($1) }
/// ```
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
  /// The descriptor has failed or its other end is closed. Reported without being requested.
  public static let failed = Readiness(rawValue: 4)
}

/// A source in a poller's wait.
///
/// ```swift
/// for item in items where item.ready.contains(.failed) { print(item.source) }
/// ```
public struct PollItem {
  /// The source.
  public let source: PollSource
  /// The events to wait for.
  public let interest: Readiness
  /// The events that occurred.
  public var ready: Readiness = []
  let watch: WatchID
}

/// Ends a poller's wait from any thread.
///
/// ```swift
/// let wakeup = try DescriptorPoller().wakeup
/// wakeup.wake()
/// ```
public protocol Wakeup: Sendable {
  /// Ends the current wait, or the next one.
  func wake()
}

/// A wake-up by an event counter, for pollers of descriptors. eventfd(2).
///
/// ```swift
/// let stop = try EventDescriptor()
/// stop.wake()  // `stop.descriptor` is readable until `stop.reset()`
/// ```
public final class EventDescriptor: Wakeup {
  /// Readable from `wake` to `reset`. Owned by this object.
  public let descriptor: Int32

  /// Opens the counter.
  ///
  /// - Throws: `LoopError` if no descriptor is left.
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

  /// Clears the wake-ups.
  public func reset() {
    kith_eventfd_reset(descriptor)
  }
}

/// A poller for descriptors only, by poll(2).
///
/// Without sources it waits only for jobs; its loop is then a single-thread executor for a blocking library.
///
/// ```swift
/// let loop = try LoopExecutor(name: "files", poller: DescriptorPoller(), logger: logger)
/// ```
public struct DescriptorPoller: LoopPoller {
  private let event: EventDescriptor
  private var descriptors: [pollfd] = []

  /// Opens the wake-up.
  ///
  /// - Throws: `LoopError` if no descriptor is left.
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
  /// Makes the argument of poll(2) for a descriptor.
  package init(_ descriptor: Int32, for interest: Readiness) {
    var events: Int32 = 0
    if interest.contains(.readable) { events |= POLLIN }
    if interest.contains(.writable) { events |= POLLOUT }
    self.init(fd: descriptor, events: Int16(events), revents: 0)
  }
}

extension Readiness {
  /// Converts the flags that poll(2) returns.
  package init(poll events: Int16) {
    self = []
    let events = Int32(events)
    if events & (POLLIN | POLLHUP) != 0 { insert(.readable) }
    if events & POLLOUT != 0 { insert(.writable) }
    if events & (POLLERR | POLLNVAL | POLLHUP) != 0 { insert(.failed) }
  }
}
