public import Bus
public import CoreMetrics
public import EventLoop
public import KithMessages
public import Logging
internal import SwiftProtobuf
public import ZeroMQ

/// The hub's side of the control plane: receives commands from clients and answers each once.
///
/// It runs on the event loop. Each command runs in its own task, which posts its result back; only Ping is answered on the
/// loop.
///
/// ```swift
/// let plane = try ControlPlane(context: context, loop: loop, router: router, access: access, logger: logger)
/// try await plane.bind(try directory.endpoint("control.sock"))
/// ```
public actor ControlPlane: Plane, NetworkPlane {
  /// The ZAP domain of its peers.
  public nonisolated let domain = "control"
  /// The event loop that owns the socket.
  public nonisolated let loop: LoopExecutor
  private let router: Router
  private let access: AccessPolicy
  private let metrics: CommandMetrics
  private let logger: Logger
  let socket: PlaneSocket

  private var requests: RequestTable
  private let lanes = CommandLanes()
  /// Commands that have no answer yet, which a client can cancel by name until then.
  private var commands: [RequestTable.Key: (task: Task<Void, Never>, context: CallContext)] = [:]
  private var parked: ParkedReplies
  private var timer: LoopTimer?
  private var isClosing = false
  private var drained: CheckedContinuation<Void, Never>?

  // Not inlined into other modules: see `EventsPlane`.
  /// Makes the plane with a socket that is not bound yet.
  ///
  /// - Parameters:
  ///   - context: Has a ZAP handler on the same event loop, which decides about every peer.
  ///   - router: Runs the commands.
  ///   - access: Identifies the peers.
  ///   - memory: Limits the memory of commands and answers.
  ///   - metrics: Keeps the number of commands and their durations.
  /// - Throws: `ZMQError` if the socket cannot be created.
  @_semantics("optimize.no.crossmodule")
  public init(
    context: Context, loop: LoopExecutor, router: Router, access: AccessPolicy, memory: ClientMemory = ClientMemory(),
    metrics: any MetricsFactory = NOOPMetricsHandler.instance, logger: Logger
  ) throws(ZMQError) {
    self.metrics = CommandMetrics(metrics)
    self.requests = RequestTable(limits: RequestTable.Limits(bytes: memory.requests))
    self.parked = ParkedReplies(limits: ParkedReplies.Limits(bytes: memory.parked))
    self.loop = loop
    self.router = router
    self.access = access
    self.logger = logger
    // Room for the routing id, the delimiter of a REQ, and one extra frame, which gets an error as answer.
    self.socket = try PlaneSocket(
      .router, domain: self.domain, in: context, connections: WireLimits.controlConnections,
      frames: WireLimits.frames + 3, access: access, logger: logger)
  }

  isolated deinit {}

  /// Binds the endpoint and starts to serve.
  ///
  /// - Throws: `ZMQError`.
  public func bind(_ endpoint: IPCEndpoint) throws(ZMQError) { try self.socket.bind(endpoint, of: self) }

  /// Serves these listeners over tcp and no others; see ``NetworkPlane``.
  public func listen(_ listeners: [TCPListener]) throws(ZMQError) -> [String] { try self.socket.listen(listeners) }

  /// ``NetworkPlane/peers``.
  public var peers: PlaneStatus { self.socket.peers }

  /// The number of running commands.
  public var inFlight: Int { self.requests.running }

  /// Refuses new commands and waits until the running ones are answered, or until `limit`.
  public func drain(limit: Duration) async {
    self.isClosing = true
    await withCheckedContinuation { continuation in
      guard self.requests.count > 0 else { return continuation.resume() }
      self.drained = continuation
      self.schedule(at: .now + limit) { $0.finishDraining() }
    }
  }

  /// Closes the connections. Sent answers linger for a second.
  public func close() {
    self.isClosing = true
    for command in self.commands.values { command.task.cancel() }
    self.commands = [:]
    self.socket.close()
  }

  // MARK: - Requests

  func readable() {
    self.socket.receive { message, userID in self.take(message, userID) }
  }

  private func take(_ message: borrowing MultipartMessage, _ userID: String) {
    let isPlainRequest = message.byteCount(at: 1) == 0
    var frames: [[UInt8]] = []
    for index in (isPlainRequest ? 2 : 1)..<message.count { frames.append(message.bytes(at: index)) }
    guard frames.count <= WireLimits.frames + 1 else { return self.socket.drop(frames.count) }
    let client = ReplyAddress(peer: message.bytes(at: 0), isPlainRequest: isPlainRequest, userID: userID)
    switch RequestFrame.decode(frames) {
    case .foreign: self.logger.debug("message of another protocol dropped")
    case .rejected(let rejection):
      self.metrics.refused(rejection.service, rejection.failure.code)
      self.send(rejection.answer, to: client)
    case .accepted(let frame): self.take(frame, userID: userID, from: client)
    }
  }

  private func take(_ frame: RequestFrame, userID: String, from client: ReplyAddress) {
    do throws(Failure) {
      let principal = try self.access.principal(userID: userID, token: frame.header.token)
      guard !self.isClosing else {
        throw Failure(
          .unavailable, "SHUTTING_DOWN", "kithd is stopping. Send the command again when it is back.",
          retryAfterMilliseconds: 1000)
      }
      if frame.service == Methods.systemPing.name, frame.body.count <= Self.pingAtOnce {
        return try self.pong(frame, principal, client)
      }
      try self.start(frame, principal, client)
    } catch {
      self.metrics.refused(frame.service, error.code)
      self.send(
        .final(failure: error, to: frame.header.requestID, service: frame.service, encoding: frame.encoding), to: client
      )
    }
  }

  /// The size of a Ping that is decoded on the event loop. JSON of a larger one may take milliseconds.
  private static let pingAtOnce = 4 << 10

  /// Answers Ping on the event loop, so that it measures the connection and not the thread pool.
  private func pong(_ frame: RequestFrame, _ principal: Principal, _ client: ReplyAddress) throws(Failure) {
    let now = ContinuousClock.now
    try principal.require(Methods.systemPing)
    _ = try Self.timeout(of: frame.header, Methods.systemPing)
    var reply = PingReply()
    reply.echo = try frame.encoding.decode(PingRequest.self, from: frame.body).echo
    self.send(Self.final(EncodedAnswer(body: try frame.encoding.encode(reply)), to: frame, sequence: 0), to: client)
    self.metrics.ping.answered(.ok, since: now)
  }

  private func start(_ frame: RequestFrame, _ principal: Principal, _ client: ReplyAddress) throws(Failure) {
    guard let method = self.router.method(named: frame.service) else {
      throw Failure(
        .unimplemented, "SERVICE_UNKNOWN",
        "This hub does not serve '\(frame.service)'. `kith services` lists its methods.")
    }
    try principal.require(method)
    let now = ContinuousClock.now
    let timeout = try Self.timeout(of: frame.header, method)
    let key = RequestTable.Key(peer: client.peer, requestID: frame.header.requestID)
    let request = RequestTable.Request(
      principal: principal.name, service: frame.service, encoding: frame.encoding,
      content: frame.body.hashValue, isPlainRequest: client.isPlainRequest, wantsProgress: frame.header.wantProgress,
      bytes: frame.attachments.reduce(frame.body.count) { $0 + $1.count }, deadline: now + timeout)
    let serial: RequestTable.Serial
    switch self.requests.admit(key, request, now: now) {
    case .duplicate: return
    case .refused(let failure): throw failure
    case .admitted(let admitted): serial = admitted
    }
    var context = CallContext(
      requestID: frame.header.requestID, idempotencyKey: frame.header.idempotencyKey, principal: principal,
      attachments: frame.attachments
    ) { [weak self] progress in
      self?.post { $0.report(progress, of: key, serial) }
    }
    context.turn = self.lanes.enter(client.peer, of: principal, self.router.order(of: method))
    self.router.announce(context)
    let task = Task.detached { [router, context, weak self] in
      let outcome: Result<EncodedAnswer, Failure>
      do throws(Failure) {
        outcome = .success(
          try await router.answer(method: frame.service, encoding: frame.encoding, body: frame.body, context: context))
      } catch {
        outcome = .failure(error)
      }
      context.turn?.end()
      self?.post { $0.finish(key, serial, frame, outcome) }
    }
    self.commands[key] = (task, context)
    self.arm()
  }

  /// The time limit of a command: the client's deadline or timeout, else the method's timeout.
  private static func timeout(of header: RequestHeader, _ method: Method) throws(Failure) -> Duration {
    if header.hasDeadline {
      let (deadline, now) = (header.deadline.nanosecondsSince1970, WallClock.nanoseconds())
      guard deadline > now else {
        throw Failure(
          .deadlineExceeded, "EXPIRED_ON_ARRIVAL",
          "The command's deadline had passed when it arrived. Compare the clocks (System/Hello tells the hub's).")
      }
      return .nanoseconds(deadline - now)
    }
    return .milliseconds(Int64(header.timeoutMs == 0 ? method.timeoutMilliseconds : header.timeoutMs))
  }

  // MARK: - Answers

  private func finish(
    _ key: RequestTable.Key, _ serial: RequestTable.Serial, _ frame: RequestFrame,
    _ outcome: Result<EncodedAnswer, Failure>
  ) {
    guard let (request, sequence, since) = self.requests.finish(key, serial) else { return }
    self.retract(key)
    let client = ReplyAddress.of(key, request)
    switch outcome {
    case .success(let answer):
      self.send(Self.final(answer, to: frame, sequence: sequence), to: client)
      self.metrics.answered(request.service, .ok, since: since)
    case .failure(let failure):
      self.send(Self.refusal(failure, key, request, sequence), to: client)
      self.metrics.answered(request.service, failure.code, since: since)
    }
    if self.isClosing, self.requests.count == 0 { self.finishDraining() }
  }

  private func report(_ progress: Progress, of key: RequestTable.Key, _ serial: RequestTable.Serial) {
    self.perform(self.requests.progress(key, serial, progress, now: .now))
    self.arm()
  }

  private func perform(_ directives: [RequestTable.Directive]) {
    for directive in directives {
      switch directive {
      case .sendAccepted(let key, let sequence):
        var accepted = Accepted()
        accepted.commandID = key.requestID
        self.sendPartial(accepted, key, sequence)
      case .sendProgress(let key, let progress, let sequence):
        self.sendPartial(progress, key, sequence)
      case .expire(let key):
        self.retract(key)?.cancel()
        guard let (request, sequence, since) = self.requests.expire(key) else { continue }
        let client = ReplyAddress.of(key, request)
        self.send(Self.refusal(Deadline.exceeded, key, request, sequence), to: client)
        self.metrics.answered(request.service, Deadline.exceeded.code, since: since)
        if self.isClosing, self.requests.count == 0 { self.finishDraining() }
      }
    }
  }

  /// Forgets the name of a command that is about to be answered: its client may send the same id again as soon as it has the answer.
  @discardableResult
  private func retract(_ key: RequestTable.Key) -> Task<Void, Never>? {
    guard let (task, context) = self.commands.removeValue(forKey: key) else { return nil }
    self.router.retract(context)
    return task
  }

  private func sendPartial(_ body: some SwiftProtobuf.Message, _ key: RequestTable.Key, _ sequence: UInt32) {
    guard let request = self.requests.request(key), let bytes = try? request.encoding.encode(body) else { return }
    var header = ReplyHeader()
    header.requestID = key.requestID
    header.seq = sequence
    header.hubTime = .now()
    let frame = ReplyFrame(
      isFinal: false, service: request.service, encoding: request.encoding, header: header, body: bytes)
    self.send(frame, to: .of(key, request))
  }

  private static func final(_ answer: EncodedAnswer, to frame: RequestFrame, sequence: UInt32) -> ReplyFrame {
    var header = ReplyHeader()
    header.requestID = frame.header.requestID
    header.seq = sequence
    header.replayed = answer.isReplayed
    header.hubTime = .now()
    header.effects = answer.effects
    return ReplyFrame(
      isFinal: true, service: frame.service, encoding: frame.encoding, header: header, body: answer.body,
      attachments: answer.attachments)
  }

  private static func refusal(
    _ failure: Failure, _ key: RequestTable.Key, _ request: RequestTable.Request, _ sequence: UInt32
  ) -> ReplyFrame {
    var frame = ReplyFrame.final(
      failure: failure, to: key.requestID, service: request.service, encoding: request.encoding)
    frame.header.seq = sequence
    frame.header.hubTime = .now()
    return frame
  }

  // MARK: - Sending

  private func send(_ frame: ReplyFrame, to client: ReplyAddress) {
    let frames: [[UInt8]]
    do throws(Failure) {
      frames = try frame.encoded()
    } catch {
      guard frame.header.status.code == .ok else {
        guard !frame.header.status.details.isEmpty || frame.header.status.message.utf8.count > 1024 else { return }
        var short = frame
        short.header.status.details = [:]
        short.header.status.message = String(frame.header.status.message.unicodeScalars.prefix(256))
        return self.send(short, to: client)
      }
      // The answer cannot be encoded: send this error in its place.
      return self.send(
        .final(failure: error, to: frame.header.requestID, service: frame.service, encoding: frame.encoding), to: client
      )
    }
    if self.trySend(client.envelope, frames) == .wouldBlock, frame.isFinal {
      self.parked.park(
        client.envelope + frames, for: client.peer, of: self.access.owner(of: client.userID), now: .now)
      self.arm()
    }
  }

  private func trySend(_ envelope: [[UInt8]], _ frames: [[UInt8]]) -> SendResult {
    self.socket.send { message throws(ZMQError) in
      for frame in envelope { try message.append(frame) }
      for frame in frames { try message.append(frame) }
    }
  }

  // MARK: - Time

  /// Sets one timer for the earliest time that the tables need.
  private func arm() {
    guard let next = [self.requests.wakeAt, self.parked.retryAt].compactMap(\.self).min() else { return }
    if let timer, timer.deadline <= next { return }
    if let timer { self.cancel(timer) }
    self.timer = self.schedule(at: next) { plane in
      plane.timer = nil
      plane.perform(plane.requests.tick(.now))
      plane.parked.retry(now: .now) { plane.trySend([], $0) != .wouldBlock }
      plane.arm()
    }
  }

  private func finishDraining() {
    self.drained?.resume()
    self.drained = nil
  }
}
