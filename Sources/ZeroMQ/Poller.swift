public import EventLoop
internal import Glibc

/// The poller of an event loop with libzmq sockets and descriptors, by poll(2).
///
/// It replaces zmq_poll(3), which queries every socket twice in each wait: this poller queries a socket only after an
/// event of its descriptor or a call on it. The cost of a wait grows with the number of sources: it is made for tens of
/// sockets, not for thousands.
///
/// ```swift
/// let loop = try LoopExecutor(name: "sockets", poller: Poller(), logger: logger)
/// ```
@safe public struct Poller: LoopPoller {
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
    var isAnyReady = false
    for index in items.indices {
      items[index].ready = []
      switch items[index].source {
      case .descriptor(let descriptor):
        descriptors.append(pollfd(descriptor, for: items[index].interest))
      case .socket(let pointer):
        // The state of an open socket: its owner still has the watch and is on this thread.
        let state = unsafe pointer.assumingMemoryBound(to: SocketState.self)
        // A socket that has just been watched for room may have room already.
        if unsafe state.pointee.mustBeAsked || items[index].interest.contains(.writable) {
          items[index].ready = unsafe state.pointee.readiness(for: items[index].interest)
          isAnyReady = isAnyReady || !items[index].ready.isEmpty
        }
        unsafe descriptors.append(pollfd(state.pointee.descriptor, for: .readable))
      }
    }
    // The array is not touched during the call and holds `count` elements.
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), isAnyReady ? 0 : milliseconds) > 0 else { return }
    if descriptors[0].revents != 0 { event.reset() }
    for index in items.indices where descriptors[index + 1].revents != 0 {
      switch items[index].source {
      case .descriptor:
        items[index].ready = Readiness(poll: descriptors[index + 1].revents)
      case .socket(let pointer):
        // As above.
        let state = unsafe pointer.assumingMemoryBound(to: SocketState.self)
        items[index].ready = unsafe state.pointee.readiness(for: items[index].interest)
      }
    }
  }
}
