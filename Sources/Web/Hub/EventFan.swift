internal import Bus
internal import EventLoop
internal import KithMessages
internal import Logging
internal import WebRules

/// Follows the events of the hub once, and hands them on to all readers: the shell around ``EventBoard``.
final class EventFan: Sendable {
  /// How often a reader gets a sign of life.
  private static let beat = Duration.seconds(15)
  /// How often the hub is asked whether the device of a reader is still allowed.
  private static let check = Duration.seconds(30)
  /// Events of a page of `System/Replay`.
  private static let page: UInt32 = 500

  private struct Member: Sendable {
    let wake: AsyncStream<Void>.Continuation
    let credential: Credential
    let name: String
  }

  private struct State: Sendable {
    var board = EventBoard()
    var members: [EventBoard.ReaderID: Member] = [:]
    var isEnding = false
  }

  private let link: HubLink
  private let devices: KnownDevices
  private let metrics: WebMetrics
  private let logger: Logger
  private let state = Lock(State())

  init(_ link: HubLink, _ devices: KnownDevices, _ metrics: WebMetrics, logger: Logger) {
    self.link = link
    self.devices = devices
    self.metrics = metrics
    self.logger = logger
  }

  /// How far the events of the hub were read; nil before the start.
  var vector: EventVector? { self.state.withLock { $0.board.vector } }

  /// Whether readers may come.
  var isStarted: Bool { self.state.withLock { $0.board.isStarted } }

  // MARK: - The hub's side

  /// Follows the hub's events until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      do throws(Failure) {
        if !self.isStarted {
          let heads = try await self.link.call(HelloRequest(), CallContext(timeout: .seconds(5))).reply.heads
          self.state.withLock { $0.board.start(heads) }
        }
        let positions = self.state.withLock { $0.board.positions }
        for try await element in try self.link.events(EventBoard.streams, since: positions) { self.take(element) }
      } catch {
        if self.link.isUp { self.logger.warning("events are interrupted", metadata: ["reason": "\(error.reason)"]) }
      }
      // At the start, the hub is a few milliseconds away.
      try? await Task.sleep(for: .milliseconds(self.isStarted ? 500 : 50))
    }
  }

  /// Gives signs of life, and ends the streams of devices that are no longer allowed, until the task is cancelled.
  func keepUp() async {
    // A hub that does not answer must not delay the signs of life.
    async let checks: Void = self.checkDevices()
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.beat)
      self.tell { $0.tick() }
    }
    await checks
  }

  private func checkDevices() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.check)
      let credentials = Set(self.state.withLock { $0.members.values.map(\.credential) })
      for credential in credentials {
        do throws(Failure) {
          _ = try await self.devices.find(credential, isFresh: true)
        } catch {
          if error.code == .unauthenticated { self.tell { $0.end(device: credential.digest) } }
        }
      }
    }
  }

  /// Tells readers that the hub came or went.
  func hub(isUp: Bool) { self.tell { $0.hub(isUp: isUp) } }

  /// Ends all streams: the door closes.
  func end() {
    self.state.withLock { $0.isEnding = true }
    self.tell { $0.end() }
  }

  private func take(_ element: StreamElement) {
    switch element {
    case .event(let event):
      self.metrics.event()
      self.tell { $0.publish(event) }
      if event.event.system.kind == "device.revoked" { self.endStreams(of: event.event.system.text) }
    case .snapshot: break
    case .position(let position): self.tell { $0.moved(position) }
    case .resync(let stream, let cause): self.state.withLock { $0.board.resync(stream, cause: cause.word) }
    }
  }

  private func endStreams(of name: String) {
    let digests = Set(
      self.state.withLock { $0.members.values.filter { $0.name == name }.map(\.credential.digest) })
    self.devices.forget(named: name)
    for digest in digests {
      self.tell { $0.end(device: digest) }
    }
  }

  private func tell(_ change: (inout EventBoard) -> [EventBoard.ReaderID]) {
    self.state.withLock { state in
      for id in change(&state.board) { state.members[id]?.wake.yield() }
    }
  }

  // MARK: - The readers' side

  /// Lets a reader in. The sequence tells when there is something to ``take(_:)``.
  func join(
    streams: [String], since: EventVector?, _ credential: Credential, name: String
  ) -> (id: EventBoard.ReaderID, wakes: AsyncStream<Void>) {
    let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (id, count) = self.state.withLock { state in
      let id = state.board.join(streams: streams, since: since, of: credential.digest)
      state.members[id] = Member(wake: wake, credential: credential, name: name)
      if state.isEnding { _ = state.board.end() }
      return (id, state.members.count)
    }
    self.metrics.streams(count)
    wake.yield()
    return (id, wakes)
  }

  /// Forgets a reader.
  func leave(_ id: EventBoard.ReaderID) {
    let count = self.state.withLock { state in
      state.board.leave(id)
      state.members.removeValue(forKey: id)?.wake.finish()
      return state.members.count
    }
    self.metrics.streams(count)
  }

  /// What is sent to a reader next.
  func take(_ id: EventBoard.ReaderID) -> [EventReader.Item] { self.state.withLock { $0.board.take(id) } }

  /// Fetches the events that a reader lacks, as its device. If the hub does not answer, it is tried again at the next sign of life.
  func fetch(_ id: EventBoard.ReaderID, _ stream: String, epoch: String, after seq: UInt64) async {
    guard let member = self.state.withLock({ $0.members[id] }) else { return }
    var request = ReplayRequest()
    request.stream = stream
    request.epoch = epoch
    request.afterSeq = seq
    request.limit = Self.page
    do throws(Failure) {
      let reply = try await self.link.call(request, token: member.credential.token).reply
      self.state.withLock { state in
        if reply.events.isEmpty {
          state.board.skip(id, stream, reason: "compacted")
        } else {
          state.board.fill(id, stream, reply.events)
        }
      }
      member.wake.yield()
    } catch {
      guard error.code == .outOfRange else { return }
      self.state.withLock {
        $0.board.skip(id, stream, reason: error.reason == "EPOCH_CHANGED" ? "new_epoch" : "compacted")
      }
      member.wake.yield()
    }
  }
}

extension StreamElement.Cause {
  /// The word in `event: resync`.
  fileprivate var word: String {
    switch self {
    case .compacted: "compacted"
    case .newEpoch: "new_epoch"
    case .hubBehind: "hub_behind"
    case .tooSlow: "too_slow"
    }
  }
}
