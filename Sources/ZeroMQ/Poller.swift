public import EventLoop
internal import Glibc

/// The poller of a loop that serves libzmq sockets, and descriptors beside them, by poll(2).
///
/// In place of zmq_poll(3), which asks every socket twice in each wait: here a socket is asked only when its descriptor
/// or the calls on it give a reason. The cost of a wait still grows with the number of sources: made for tens of sockets,
/// not for thousands.
@safe public struct Poller: LoopPoller {
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
    var isAnyReady = false
    for index in items.indices {
      items[index].ready = []
      switch items[index].source {
      case .descriptor(let descriptor):
        descriptors.append(pollfd(descriptor, for: items[index].interest))
      case .socket(let pointer):
        // The state of an open socket: its owner has not dropped its watch, and is on this thread.
        let state = unsafe pointer.assumingMemoryBound(to: SocketState.self)
        // Whoever has just begun to wait for room may have it already.
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
