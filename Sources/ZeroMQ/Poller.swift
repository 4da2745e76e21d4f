internal import CZeroMQ
public import EventLoop

/// The poller of a loop that serves libzmq sockets, and descriptors beside them. zmq_poll(3).
///
/// Its cost grows with the number of sources: made for tens of sockets, not for thousands.
@safe public struct Poller: LoopPoller {
  private let event: EventDescriptor
  // Holds nothing but the sockets' handles during a wait only; the watches of their owners keep those valid.
  private var items: [zmq_pollitem_t] = unsafe []

  /// Opens the wake-up.
  ///
  /// - Throws: `LoopError` when no descriptor is left.
  public init() throws(LoopError) {
    event = try EventDescriptor()
  }

  /// Ends a wait from any thread.
  public var wakeup: any Wakeup { event }

  /// Waits for the items and the wake-up; see `LoopPoller.wait`.
  public mutating func wait(_ polled: inout [PollItem], milliseconds: Int32) {
    // The handles are copied, and every one is open: its owner has not dropped its watch.
    unsafe items.removeAll(keepingCapacity: true)
    unsafe items.append(zmq_pollitem_t(.descriptor(event.descriptor), for: .readable))
    for item in polled {
      unsafe items.append(zmq_pollitem_t(item.source, for: item.interest))
    }
    // The array is not touched during the call and holds `count` elements.
    let ready = unsafe zmq_poll(&items, Int32(items.count), Int(milliseconds))
    // A terminated context fails the whole wait; the owners of the sockets find out when they are told to look.
    let hasFailed = ready == -1 && ZMQError.Code.last != .interrupted
    for index in polled.indices {
      if ready > 0 {
        // One more than the items, in the same order.
        polled[index].ready = unsafe Readiness(zmq: Int32(items[index + 1].revents))
      } else {
        polled[index].ready = hasFailed && polled[index].source.isSocket ? .failed : []
      }
    }
    if ready > 0, unsafe items[0].revents != 0 {
      event.reset()
    }
  }
}

extension PollSource {
  fileprivate var isSocket: Bool {
    if case .socket = self { true } else { false }
  }
}

extension zmq_pollitem_t {
  fileprivate init(_ source: PollSource, for interest: Readiness) {
    var events: Int32 = 0
    if interest.contains(.readable) { events |= ZMQ_POLLIN }
    if interest.contains(.writable) { events |= ZMQ_POLLOUT }
    switch source {
    case .descriptor(let descriptor):
      unsafe self.init(socket: nil, fd: descriptor, events: Int16(events), revents: 0)
    case .socket(let handle):
      unsafe self.init(socket: handle, fd: -1, events: Int16(events), revents: 0)
    }
  }
}
