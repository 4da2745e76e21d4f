public import Bus
public import KithMessages

/// What a subscriber does so that it ends with what the log says, whatever was lost on the way. Pure: what arrives goes
/// in with its time, what to do comes out. docs/protocol.md, 4.
///
/// One ``StreamRepair`` a stream; the silence of the socket is watched here.
public struct GapRepair: Sendable {
  /// What the subscription has to do, in this order.
  public enum Directive: Sendable, Hashable {
    /// Open a socket, in place of the one there is.
    case open
    /// Ask, and report ``replayed(_:_:_:)``.
    case replay(ReplayRequest)
    /// Ask, and report ``snapshotted(_:_:_:)``.
    case snapshot(SnapshotRequest)
    /// Give it to the consumer.
    case deliver(StreamElement)
    /// End with this.
    case fail(Failure)
  }

  /// How long a socket may be silent: HEAD comes every two seconds.
  static let silence = Duration.seconds(6)

  private var streams: [String: StreamRepair] = [:]
  private var silentAt: ContinuousClock.Instant?

  /// Begins with nothing known.
  ///
  /// - Parameters:
  ///   - streams: What is subscribed to.
  ///   - since: Saved positions to go on from; an empty epoch stands for the present one.
  public init(streams: [String], since: [StreamPosition] = []) {
    for stream in streams {
      self.streams[stream] = StreamRepair(stream: stream, since: since.first { $0.stream == stream })
    }
  }

  /// Connects.
  public mutating func start(_ now: ContinuousClock.Instant) -> [Directive] {
    self.silentAt = now + Self.silence
    return [.open]
  }

  /// When ``tick(_:)`` has something to do; nil before the start.
  public var due: ContinuousClock.Instant? {
    self.silentAt.map { self.streams.values.compactMap(\.due).reduce($0, min) }
  }

  /// Where each stream stands.
  public var positions: [StreamPosition] { self.streams.values.compactMap(\.position) }

  /// A HEAD came.
  public mutating func head(_ head: Head, _ now: ContinuousClock.Instant) -> [Directive] {
    self.silentAt = now + Self.silence
    return self.streams.keys.sorted().flatMap { stream in
      self.streams[stream]?.head(head.heads.first { $0.stream == stream }, of: head.hubInstance, now) ?? []
    }
  }

  /// An event came.
  public mutating func event(_ event: LoggedEvent, _ now: ContinuousClock.Instant) -> [Directive] {
    self.streams[event.header.stream]?.event(event, now) ?? []
  }

  /// The answer to ``Directive/replay(_:)`` came.
  public mutating func replayed(
    _ stream: String, _ outcome: Result<ReplayReply, Failure>, _ now: ContinuousClock.Instant
  ) -> [Directive] {
    self.streams[stream]?.replayed(outcome, now) ?? []
  }

  /// The answer to ``Directive/snapshot(_:)`` came.
  public mutating func snapshotted(
    _ stream: String, _ outcome: Result<SnapshotReply, Failure>, _ now: ContinuousClock.Instant
  ) -> [Directive] {
    self.streams[stream]?.snapshotted(outcome, now) ?? []
  }

  /// Time has passed.
  public mutating func tick(_ now: ContinuousClock.Instant) -> [Directive] {
    var directives: [Directive] = []
    if let silentAt, now >= silentAt {
      self.silentAt = now + Self.silence
      directives.append(.open)
    }
    for stream in self.streams.keys.sorted() { directives += self.streams[stream]?.tick(now) ?? [] }
    return directives
  }
}
