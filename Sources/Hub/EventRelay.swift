internal import BusZeroMQ
internal import EventLoop
internal import KithMessages

/// Carries committed events from the store to the events plane, which is made after the store.
///
/// What is committed before the plane exists is not published: the plane begins with the store's positions, so that
/// subscribers fetch it by Replay.
final class EventRelay: Sendable {
  private let plane = Lock<EventsPlane?>(nil)

  func connect(_ plane: EventsPlane) { self.plane.withLock { $0 = plane } }

  func publish(_ events: [LoggedEvent]) { self.plane.withLock(\.self)?.publish(events) }
}
