internal import Bus
internal import KithMessages

/// Decides how a subscriber keeps up with the event log despite lost messages. A pure value: messages and time come in,
/// directives come out. docs/protocol.md, 4.
///
/// Each stream has its own ``StreamRepair``; this type detects silence of the socket.
struct GapRepair: Sendable {
  /// The steps of the subscription, in order.
  enum Directive: Sendable, Hashable {
    /// Open a new socket in place of the current one.
    case open
    /// Send the request, and call ``replayed(_:_:_:)`` with the answer.
    case replay(ReplayRequest)
    /// Send the request, and call ``snapshotted(_:_:_:)`` with the answer.
    case snapshot(SnapshotRequest)
    /// Pass the element to the consumer.
    case deliver(StreamElement)
    /// End the subscription with this failure.
    case fail(Failure)
  }

  /// The longest silence of a socket; HEAD arrives every two seconds.
  static let silence = Duration.seconds(6)

  private var streams: [String: StreamRepair] = [:]
  private var silentAt: ContinuousClock.Instant?

  /// Makes the state of a new subscription.
  ///
  /// - Parameters:
  ///   - streams: The subscribed streams.
  ///   - since: Saved positions to continue from; an empty epoch means the current one.
  init(streams: [String], since: [StreamPosition] = []) {
    for stream in streams {
      self.streams[stream] = StreamRepair(stream: stream, since: since.first { $0.stream == stream })
    }
  }

  /// Connects.
  mutating func start(_ now: ContinuousClock.Instant) -> [Directive] {
    self.silentAt = now + Self.silence
    return [.open]
  }

  /// When ``tick(_:)`` is due; nil before the start.
  var due: ContinuousClock.Instant? {
    self.silentAt.map { self.streams.values.compactMap(\.due).reduce($0, min) }
  }

  /// The position of each stream.
  var positions: [StreamPosition] { self.streams.values.compactMap(\.position) }

  /// Handles a HEAD.
  mutating func head(_ head: Head, _ now: ContinuousClock.Instant) -> [Directive] {
    self.silentAt = now + Self.silence
    return self.streams.keys.sorted().flatMap { stream in
      self.streams[stream]?.head(head.heads.first { $0.stream == stream }, of: head.hubInstance, now) ?? []
    }
  }

  /// Handles an event.
  mutating func event(_ event: LoggedEvent, _ now: ContinuousClock.Instant) -> [Directive] {
    self.streams[event.header.stream]?.event(event, now) ?? []
  }

  /// Handles the answer to ``Directive/replay(_:)``.
  mutating func replayed(
    _ stream: String, _ outcome: Result<ReplayReply, Failure>, _ now: ContinuousClock.Instant
  ) -> [Directive] {
    self.streams[stream]?.replayed(outcome, now) ?? []
  }

  /// Handles the answer to ``Directive/snapshot(_:)``.
  mutating func snapshotted(
    _ stream: String, _ outcome: Result<SnapshotReply, Failure>, _ now: ContinuousClock.Instant
  ) -> [Directive] {
    self.streams[stream]?.snapshotted(outcome, now) ?? []
  }

  /// Handles the passage of time.
  mutating func tick(_ now: ContinuousClock.Instant) -> [Directive] {
    var directives: [Directive] = []
    if let silentAt, now >= silentAt {
      self.silentAt = now + Self.silence
      directives.append(.open)
    }
    for stream in self.streams.keys.sorted() { directives += self.streams[stream]?.tick(now) ?? [] }
    return directives
  }
}
