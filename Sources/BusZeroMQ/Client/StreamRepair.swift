internal import Bus
internal import KithMessages

/// Keeps one stream without gaps: drops repeated events, fills gaps by Replay, starts over by Snapshot. A pure value.
/// docs/protocol.md, 4.
///
/// ```
/// waiting --HEAD--> snapshotting ----------> live <--caught up-- replaying
///            \-------------------------------------------------->/  ^ gap, HEAD ahead
/// live --HEAD of another hub behind--> replaying --position not in its log--> snapshotting
/// live --other epoch, compacted--> snapshotting
/// live --third repair in a minute--> snapshotting <--10 s--> resting
/// ```
struct StreamRepair: Sendable {
  typealias Directive = GapRepair.Directive
  typealias Instant = ContinuousClock.Instant

  private enum State: Sendable {
    /// Waits for the first HEAD.
    case waiting
    /// Waits for the answer to a request; a failed request is repeated at `retryAt`.
    case repairing(Question, retryAt: Instant?)
    /// Passes events on as they arrive.
    case live
    /// Too slow for events; the next snapshot is read at this time.
    case resting(until: Instant)
  }

  private enum Question: Sendable {
    /// - Parameter otherwise: The cause to report if the log does not contain the position.
    case replay(otherwise: StreamElement.Cause)
    /// - Parameter start: The position of the first page. Later pages may contain newer events, never older ones.
    case snapshot(page: String, start: StreamPosition?)
  }

  private static let heldEvents = 1000
  private static let resyncLimit = 3
  private static let resyncWindow = Duration.seconds(60)
  private static let rest = Duration.seconds(10)
  private static let retryPause = Duration.seconds(2)

  let stream: String
  private(set) var position: StreamPosition?
  private var state = State.waiting
  /// Live events that arrived during a repair.
  private var held: [LoggedEvent] = []
  private var resyncs: [Instant] = []
  /// The hub whose HEAD was last compared with the position; nil before the first HEAD.
  private var hubInstance: String?

  init(stream: String, since: StreamPosition?) {
    self.stream = stream
    self.position = since
  }

  /// When ``tick(_:)`` is due.
  var due: Instant? {
    switch self.state {
    case .repairing(_, let retryAt): retryAt
    case .resting(let until): until
    case .waiting, .live: nil
    }
  }

  // MARK: - Input

  mutating func head(_ head: StreamPosition?, of hubInstance: String, _ now: Instant) -> [Directive] {
    switch self.state {
    case .repairing, .resting: return []
    case .waiting, .live: break
    }
    let isSameHub = hubInstance == self.hubInstance
    self.hubInstance = hubInstance
    if case .waiting = self.state { return self.begin(head) }
    guard let head, let position else { return [] }
    guard head.epoch == position.epoch else { return self.startOver(.newEpoch) }
    if head.seq > position.seq { return self.repair(now) }
    // The log of one hub only grows, so an older HEAD of the same hub was overtaken by replayed events.
    return head.seq == position.seq || isSameHub ? [] : self.ask(.replay(otherwise: .hubBehind))
  }

  mutating func event(_ event: LoggedEvent, _ now: Instant) -> [Directive] {
    switch self.state {
    case .waiting, .resting: return []
    case .repairing:
      if self.held.count < Self.heldEvents { self.held.append(event) }
      return []
    case .live: break
    }
    guard let position, event.header.epoch == position.epoch else { return self.startOver(.newEpoch) }
    if event.header.seq <= position.seq { return [] }
    if event.header.seq == position.seq + 1 { return [self.pass(event)] }
    let directives = self.repair(now)
    if case .repairing = self.state { self.held.append(event) }
    return directives
  }

  mutating func replayed(_ outcome: Result<ReplayReply, Failure>, _ now: Instant) -> [Directive] {
    guard case .repairing(.replay(let otherwise), _) = self.state, let position else { return [] }
    switch outcome {
    case .failure(let failure): return self.failed(failure, .replay(otherwise: otherwise), otherwise, now)
    case .success(let reply):
      guard reply.head.epoch == position.epoch else { return self.startOver(.newEpoch) }
      var directives: [Directive] = []
      for event in reply.events where event.header.seq > (self.position?.seq ?? 0) {
        guard event.header.seq == (self.position?.seq ?? 0) + 1 else { break }
        directives.append(self.pass(event))
      }
      if (self.position?.seq ?? 0) >= reply.head.seq { return directives + self.goLive(now) }
      guard !directives.isEmpty else { return self.startOver(.compacted) }
      return directives + self.ask(.replay(otherwise: .newEpoch))
    }
  }

  mutating func snapshotted(_ outcome: Result<SnapshotReply, Failure>, _ now: Instant) -> [Directive] {
    guard case .repairing(.snapshot(let page, let start), _) = self.state else { return [] }
    switch outcome {
    case .failure(let failure): return self.failed(failure, .snapshot(page: page, start: start), .newEpoch, now)
    case .success(let reply):
      let start = start ?? reply.position
      guard start.epoch == reply.position.epoch else { return self.startOver(.newEpoch) }
      let items = reply.lastByKey.map { Directive.deliver(.snapshot($0)) }
      guard reply.nextPageToken.isEmpty else {
        return items + self.ask(.snapshot(page: reply.nextPageToken, start: start))
      }
      self.position = start
      guard self.isTooSlow(now) else { return items + self.goLive(now) }
      self.state = .resting(until: now + Self.rest)
      self.held = []
      return items + [.deliver(.position(start))]
    }
  }

  mutating func tick(_ now: Instant) -> [Directive] {
    guard let due, now >= due else { return [] }
    switch self.state {
    case .repairing(let question, _): return self.ask(question)
    case .resting: return self.startOver(.tooSlow)
    case .waiting, .live: return []
    }
  }

  // MARK: - Steps

  private mutating func begin(_ head: StreamPosition?) -> [Directive] {
    guard var since = self.position else { return self.ask(.snapshot(page: "", start: nil)) }
    guard let head else { return self.ask(.replay(otherwise: .newEpoch)) }
    // A position without an epoch refers to the current log.
    if since.epoch.isEmpty { since.epoch = head.epoch }
    self.position = since
    guard since.epoch == head.epoch else { return self.startOver(.newEpoch) }
    return self.ask(.replay(otherwise: since.seq > head.seq ? .hubBehind : .newEpoch))
  }

  private mutating func pass(_ event: LoggedEvent) -> Directive {
    self.position?.seq = event.header.seq
    return .deliver(.event(event))
  }

  private mutating func repair(_ now: Instant) -> [Directive] {
    self.resyncs.append(now)
    return self.isTooSlow(now) ? self.startOver(.tooSlow) : self.ask(.replay(otherwise: .newEpoch))
  }

  private mutating func isTooSlow(_ now: Instant) -> Bool {
    self.resyncs.removeAll { $0 + Self.resyncWindow <= now }
    return self.resyncs.count >= Self.resyncLimit
  }

  private mutating func startOver(_ cause: StreamElement.Cause) -> [Directive] {
    self.held = []
    return [.deliver(.resync(stream: self.stream, cause))] + self.ask(.snapshot(page: "", start: nil))
  }

  private mutating func ask(_ question: Question) -> [Directive] {
    self.state = .repairing(question, retryAt: nil)
    switch question {
    case .replay:
      var request = ReplayRequest()
      request.stream = self.stream
      request.epoch = self.position?.epoch ?? ""
      request.afterSeq = self.position?.seq ?? 0
      request.limit = WireLimits.page
      return [.replay(request)]
    case .snapshot(let page, _):
      var request = SnapshotRequest()
      request.stream = self.stream
      request.pageToken = page
      request.limit = WireLimits.page
      return [.snapshot(request)]
    }
  }

  private mutating func failed(
    _ failure: Failure, _ question: Question, _ otherwise: StreamElement.Cause, _ now: Instant
  ) -> [Directive] {
    switch failure.reason {
    case "SEQ_COMPACTED": return self.startOver(.compacted)
    case "EPOCH_CHANGED": return self.startOver(otherwise)
    default:
      guard failure.isTransient || failure.code == .cancelled else { return [.fail(failure)] }
      self.state = .repairing(question, retryAt: now + Self.retryPause)
      return []
    }
  }

  /// Passes on the events that arrived during the repair, and repairs again if they have a gap.
  private mutating func goLive(_ now: Instant) -> [Directive] {
    self.state = .live
    var directives = self.position.map { [Directive.deliver(.position($0))] } ?? []
    let held = self.held
    self.held = []
    for event in held { directives += self.event(event, now) }
    return directives
  }
}
