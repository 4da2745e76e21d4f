internal import Glibc

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
