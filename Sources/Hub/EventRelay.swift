internal import EventLoop
internal import KithMessages

/// Carries committed events from the store to those who are made after it.
///
/// What is committed before a receiver is connected does not reach it: the events plane begins with the store's positions, so
/// that subscribers fetch it by Replay.
final class EventRelay: Sendable {
  typealias Receiver = @Sendable ([LoggedEvent]) -> Void

  private let receivers = Lock<[Receiver]>([])

  func connect(_ receiver: @escaping Receiver) { self.receivers.withLock { $0.append(receiver) } }

  func publish(_ events: [LoggedEvent]) {
    let receivers = self.receivers.withLock { $0 }
    for receive in receivers { receive(events) }
  }
}
