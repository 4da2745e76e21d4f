public import Bus
public import EventLoop
internal import KithMessages
public import Logging
public import ZeroMQ

/// Sends commands to a hub in another process.
///
/// Many calls may be in flight. Each is retried until it is answered, so a lost message or a restarted hub costs only
/// time; the hub ensures that a command runs once.
///
/// Any code may use ``call(_:_:)``. Code on the same event loop may use ``start(_:_:completion:)``, which creates no task.
///
/// ```swift
/// let port = ZeroMQPort(
///   context: context, loop: loop, endpoint: "ipc:///run/user/1000/kith/control.sock", logger: logger)
/// let reply = try await port.ask(StatusRequest())
/// await port.close()
/// ```
public actor ZeroMQPort: LoopActor, Port {
  /// The most calls that may wait for answers; more fail with `RESOURCE_EXHAUSTED/QUEUE_FULL`.
  public static let capacity = 1024
  /// The most calls in flight at the hub, which limits them for each connection.
  static let window = 64

  /// The event loop of the port.
  public nonisolated let loop: LoopExecutor
  private let context: Context
  private let endpoint: String
  private let identity: CurveIdentity?
  private let connectLimit: Duration?
  private let logger: Logger

  private var link: Link?
  /// The previous link, kept for late answers.
  private var previousLink: Link?
  private var linkCount = 0

  private var calls: [String: PendingCall] = [:]
  private var callCount = 0
  /// The calls that no socket has accepted yet, in order of creation.
  private var unsent: [PendingCall] = []
  /// Since when the socket accepts no messages; nil if it does.
  private var blockedSince: ContinuousClock.Instant?
  private var timer: (timer: LoopTimer, at: ContinuousClock.Instant)?
  private var isClosed = false

  /// Makes a port. It connects with the first call.
  ///
  /// - Parameters:
  ///   - endpoint: The hub's control plane, such as `ipc:///run/user/1000/kith/control.sock`.
  ///   - identity: Required over tcp, not used over ipc.
  ///   - connectLimit: The time without a connection after which a call fails with `UNAVAILABLE/HUB_NOT_RUNNING`; nil =
  ///     only at its timeout. With a limit, a new call fails at once if no process listens at an ipc endpoint, or with
  ///     `PERMISSION_DENIED/SOCKET_FORBIDDEN` if this user may not open the socket.
  public init(
    context: Context, loop: LoopExecutor, endpoint: String, identity: CurveIdentity? = nil,
    connectLimit: Duration? = nil, logger: Logger
  ) {
    self.context = context
    self.loop = loop
    self.endpoint = endpoint
    self.identity = identity
    self.connectLimit = connectLimit
    self.logger = logger
  }

  isolated deinit {}

  /// Closes the connection. Waiting calls fail with `UNAVAILABLE/SHUTTING_DOWN`.
  public func close() {
    self.isClosed = true
    for id in Array(self.calls.keys) { self.settle(id, .failure(Self.closed)) }
    if let timer { self.cancel(timer.timer) }
    self.timer = nil
    self.link = nil
    self.previousLink = nil
  }

  // MARK: - Calls

  func submit(_ request: RequestFrame, _ frames: [[UInt8]], timeout: Duration, _ waiter: Waiter) {
    let id = request.header.requestID
    guard !waiter.id.isCancelled else { return waiter.resume(.failure(.cancelled)) }
    guard !self.isClosed else { return waiter.resume(.failure(Self.closed)) }
    if let running = self.calls[id] {
      guard running.request.service == request.service, running.request.body == request.body,
        running.request.header.token == request.header.token
      else {
        return waiter.resume(.failure(Self.reused))
      }
      running.waiters.append(waiter)
      return
    }
    guard self.calls.count < Self.capacity else { return waiter.resume(.failure(Self.full)) }
    let machine = ResendMachine(.now, timeout: timeout, connectLimit: self.connectLimit)
    self.callCount += 1
    let call = PendingCall(self.callCount, request, frames: frames, machine: machine, waiter: waiter)
    self.calls[id] = call
    self.unsent.append(call)
    self.flush()
    // A call behind others has a deadline as well.
    if call.machine.isUnsent { self.arm(call.machine.due(blockedSince: self.blockedSince)) }
  }

  func cancel(_ waiter: WaiterID, of id: String) {
    guard let call = self.calls[id], let index = call.waiters.firstIndex(where: { $0.id === waiter }) else { return }
    call.waiters[index].resume(.failure(.cancelled))
    guard call.waiters.count == 1 else {
      call.waiters.remove(at: index)
      return
    }
    self.forget(id)
    if call.machine.attempts > 0 { self.sendCancel(call) }
    self.flush()
  }

  /// Tells the hub that the last caller was cancelled. Not retried: the hub's timeout ends the command anyway.
  private func sendCancel(_ call: PendingCall) {
    var command = CancelRequest()
    let header = call.request.header
    command.requestID = header.idempotencyKey.isEmpty ? header.requestID : header.idempotencyKey
    do {
      var context = CallContext(timeout: .seconds(5))
      context.token = header.token
      let request = try Self.frame(command, context)
      _ = try self.link?.send(try request.encoded())
    } catch {
      self.logger.debug("cancellation not sent", metadata: ["error": "\(error)"])
    }
  }

  private func settle(_ id: String, _ outcome: Result<ReplyFrame, Failure>) {
    guard let call = self.forget(id) else { return }
    for waiter in call.waiters { waiter.resume(outcome) }
  }

  @discardableResult
  private func forget(_ id: String) -> PendingCall? {
    guard let call = self.calls.removeValue(forKey: id) else { return nil }
    if call.machine.isUnsent { self.unsent.removeAll { $0 === call } }
    if self.calls.isEmpty { self.link?.unblock() }
    return call
  }

  // MARK: - Sending

  /// Sends the unsent calls in order, while the hub's window has room.
  private func flush() {
    while let call = self.unsent.first, self.calls.count - self.unsent.count < Self.window {
      guard self.send(call) else { return }
    }
  }

  /// Sends one unsent call. Returns false if the socket has no room.
  private func send(_ call: PendingCall) -> Bool {
    do {
      let link = try self.openLink(after: 0)
      if call.machine.attempts > 0 {
        call.request.header.attempt = call.machine.attempts
        call.frames = try call.request.encoded()
      }
      let isTaken = try link.send(call.frames)
      self.blockedSince = isTaken ? nil : self.blockedSince ?? .now
      if isTaken {
        call.link = link.number
        call.machine.sent(.now, jitter: link.jitter)
        self.unsent.removeAll { $0 === call }
      }
      self.arm(call.machine.due(blockedSince: self.blockedSince))
      return isTaken
    } catch {
      self.settle(call.id, .failure(Self.unusable(error)))
      return true
    }
  }

  /// Sends all unanswered commands again in order of creation, so that the next hub runs the ones that the previous hub
  /// did not run in that order. A new socket accepts nothing until it is connected, which may happen between two
  /// commands, so all of them wait until it accepts the first.
  private func resend(_ overdue: PendingCall, onNewSocket: Bool) {
    let calls = self.callsInOrder
    for call in calls where !call.machine.isUnsent {
      self.logger.debug(
        "command sent again", metadata: ["method": "\(call.request.service)", "attempt": "\(call.machine.attempts)"])
      call.machine.putBack()
    }
    self.unsent = calls
    do {
      if onNewSocket { _ = try self.openLink(after: overdue.link) }
    } catch {
      self.settle(overdue.id, .failure(Self.unusable(error)))
    }
    self.flush()
  }

  private var callsInOrder: [PendingCall] { self.calls.values.sorted { $0.number < $1.number } }

  /// The link to send on; a new one if there is none or if the current one has the number `stale`.
  private func openLink(after stale: Int) throws(ZMQError) -> Link {
    if let link = self.link, link.number != stale { return link }
    self.linkCount += 1
    let link = try Link(.dealer, number: self.linkCount, in: self.context, to: self.endpoint, as: self.identity)
    link.observe(by: self) { port, ready in port.ready(ready) }
    link.observeAdmittance(by: self) { $0.drainMonitors() }
    self.link?.unblock()
    self.previousLink = self.link
    self.link = link
    return link
  }

  // MARK: - Receiving

  private func ready(_ readiness: Readiness) {
    do {
      // Usually at most one answer for each call waits. Whether there are more is checked in the next turn of the event
      // loop, which checks every used socket anyway.
      let limit = min(64, max(1, self.calls.count))
      for link in [self.link, self.previousLink] {
        for message in try link?.receive(limit: limit) ?? [] { self.take(message) }
      }
    } catch {
      self.logger.error("control socket cannot receive", metadata: ["error": "\(error)"])
    }
    self.flush()
    // A socket that is watched for room with nothing to send would be reported in every turn.
    if self.unsent.isEmpty { self.link?.unblock() }
  }

  private func drainMonitors() {
    do {
      for link in [self.link, self.previousLink] { try link?.drainMonitor() }
    } catch {
      self.logger.error("monitor of the control socket failed", metadata: ["error": "\(error)"])
    }
    // libzmq does not reconnect after a refusal.
    guard self.link?.admittance.state == .refused, let failure = self.notAdmitted else { return }
    for id in Array(self.calls.keys) { self.settle(id, .failure(failure)) }
    self.link = nil
  }

  /// Why the hub does not admit this client; nil if it does or does not answer.
  private var notAdmitted: Failure? {
    self.link?.admittance.failure(endpoint: self.endpoint, identity: self.identity, now: .now)
  }

  /// Why no hub on this machine can be reached; nil if one listens or the hub is on another machine.
  private var absence: Failure? {
    guard let endpoint = IPCEndpoint(url: self.endpoint) else { return nil }
    return switch endpoint.reach() {
    case .listening: nil
    case .absent: ResendMachine.hubNotRunning
    case .forbidden: .forbidden(endpoint)
    }
  }

  private func take(_ frames: [[UInt8]]) {
    // A ROUTER that answers REQ and DEALER sockets alike may send the delimiter first.
    switch ReplyFrame.decode(frames.first?.isEmpty == true ? Array(frames.dropFirst()) : frames) {
    case .accepted(let reply): self.take(reply)
    case .rejected(let rejection):
      self.logger.warning("answer not understood", metadata: ["reason": "\(rejection.failure.reason)"])
      if rejection.cause == .wrongMajor { self.settle(rejection.requestID, .failure(rejection.failure)) }
    case .foreign:
      self.logger.debug("message of another protocol dropped")
    }
  }

  private func take(_ reply: ReplyFrame) {
    guard !reply.isFinal else { return self.settle(reply.header.requestID, .success(reply)) }
    guard let call = self.calls[reply.header.requestID] else { return }
    // The command runs, so it need not be sent again.
    if call.machine.isUnsent { self.unsent.removeAll { $0 === call } }
    call.machine.heard(.now)
    // The first PARTIAL is `Accepted`, the others are `Progress`.
    guard reply.header.seq > 0, let progress = try? reply.encoding.decode(Progress.self, from: reply.body) else {
      return
    }
    for waiter in call.waiters { waiter.progress?(progress) }
  }

  // MARK: - Time

  private func arm(_ due: ContinuousClock.Instant) {
    if let timer {
      guard due < timer.at else { return }
      self.cancel(timer.timer)
    }
    self.timer = (self.schedule(at: due) { $0.tick() }, due)
  }

  private func tick() {
    self.timer = nil
    let now = ContinuousClock.now
    for call in self.callsInOrder {
      let id = call.id
      switch call.machine.tick(now, blockedSince: self.blockedSince) {
      case .send(let onNewSocket): self.resend(call, onNewSocket: onNewSocket)
      case .look:
        call.machine.looked()
        if let failure = self.absence { self.settle(id, .failure(failure)) }
      case .giveUp(let failure):
        let isAway = failure == ResendMachine.hubNotRunning
        self.settle(id, .failure(isAway ? self.notAdmitted ?? failure : failure))
      case nil: break
      }
    }
    self.flush()
    if let next = self.calls.values.map({ $0.machine.due(blockedSince: self.blockedSince) }).min() { self.arm(next) }
  }
}

// MARK: - Failures

extension ZeroMQPort {
  private static let closed = Failure(
    .unavailable, "SHUTTING_DOWN", "The connection to kithd was closed. Connect again to send more commands.")
  private static let reused = Failure(
    .invalidArgument, "IDEMPOTENCY_KEY_REUSED",
    "This request id belongs to another command in flight. Use a new one for a new command.")
  private static let full = Failure(
    .resourceExhausted, "QUEUE_FULL",
    "\(ZeroMQPort.capacity) commands wait for their answers already. Wait for some of them.",
    retryAfterMilliseconds: 1000)

  private static func unusable(_ error: any Error) -> Failure {
    error as? Failure
      ?? Failure(.unavailable, "HUB_NOT_RUNNING", "The socket to kithd cannot be used: \(error). Check its path.")
  }
}
