package import Glibc

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
