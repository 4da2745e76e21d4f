public import Bus
public import EventLoop
internal import KithMessages
public import Logging
public import ZeroMQ

/// The worker's side of the work plane: receives jobs from a hub and runs them in this process.
///
/// ``WorkerMachine`` has the rules; this actor has the socket and the tasks.
///
/// ```swift
/// let worker = WorkerConnection(
///   context: context, loop: loop, endpoint: "ipc:///run/kith/work.sock", name: "speech", slots: 2,
///   services: services, logger: logger)
/// try await worker.run()
/// ```
public actor WorkerConnection: LoopActor {
  /// The event loop of the worker.
  public nonisolated let loop: LoopExecutor
  private let context: Context
  private let endpoint: String
  private let services: LocalBatchPort
  private let onHubKeys: @Sendable (HubKeys) -> Void
  private let logger: Logger
  private var keys: HubKeys?

  var machine: WorkerMachine
  private var link: Link?
  private var linkCount = 0
  private var complainedOf = 0
  var tasks: [String: Task<Void, Never>] = [:]
  /// Jobs that wait until the next batch is wanted.
  private var gates: [String: CheckedContinuation<Void, Never>] = [:]
  var downloads: [Transfer: (download: Download, end: CheckedContinuation<Result<[UInt8], Failure>, Never>)] =
    [:]
  /// Kept until the hub has stored the message that needs them, because a restarted hub has lost them.
  var uploads: [Transfer: Upload] = [:]
  var uploaded: [Transfer: CheckedContinuation<Failure?, Never>] = [:]
  private var timer: LoopTimer?
  private var end: CheckedContinuation<Failure?, Never>?
  private var hasLeft = false

  /// Identifies a transfer by lease and digest.
  struct Transfer: Hashable {
    let lease: String
    let sha256: String
  }

  /// Makes a worker. It connects in ``run()``.
  ///
  /// - Parameters:
  ///   - endpoint: The hub's work plane.
  ///   - name: `[a-z0-9-]{1,32}`, unique among the connected workers.
  ///   - slots: The most jobs at a time, at most 16.
  ///   - services: The services that it runs.
  ///   - keys: Required over tcp, not used over ipc.
  ///   - onHubKeys: Called when the hub's keys change.
  public init(
    context: Context, loop: LoopExecutor, endpoint: String, name: String, slots: Int, services: LocalBatchPort,
    keys: HubKeys? = nil, onHubKeys: @escaping @Sendable (HubKeys) -> Void = { _ in }, logger: Logger
  ) {
    self.keys = keys
    self.onHubKeys = onHubKeys
    self.context = context
    self.loop = loop
    self.endpoint = endpoint
    self.services = services
    self.logger = logger
    self.machine = WorkerMachine(
      WorkerMachine.Identity(
        name: name, instance: UUIDv7.make().text, capabilities: services.methods.sorted(),
        slots: UInt32(min(max(slots, 1), Int(WireLimits.credit)))), now: .now)
  }

  isolated deinit {}

  /// Serves until it is drained.
  ///
  /// Retries while the hub does not admit its key or has another server key than expected, and logs that.
  ///
  /// - Throws: Why the hub refuses this worker: `PERMISSION_DENIED`, `UNAUTHENTICATED`, `ABORTED/REPLACED`,
  ///   `UNIMPLEMENTED/VERSION_UNSUPPORTED`.
  public func run() async throws(Failure) {
    let failure: Failure? = await withCheckedContinuation { continuation in
      // It may have been drained already. Checked in here, because the actor may run something else before this closure.
      guard !self.hasLeft else { return continuation.resume(returning: nil) }
      self.end = continuation
      self.connect()
      self.perform(self.machine.start(now: .now))
      self.arm()
    }
    if let timer { self.cancel(timer) }
    self.link = nil
    self.stopAll()
    if let failure { throw failure }
  }

  /// Ends all jobs and transfers.
  private func stopAll() {
    for task in self.tasks.values { task.cancel() }
    self.tasks = [:]
    for gate in self.gates.values { gate.resume() }
    self.gates = [:]
    for (_, end) in self.downloads.values { end.resume(returning: .failure(.cancelled)) }
    self.downloads = [:]
    for end in self.uploaded.values { end.resume(returning: .cancelled) }
    self.uploaded = [:]
    self.uploads = [:]
  }

  /// Takes no more jobs, and disconnects when its jobs have ended or `grace` is over.
  public func drain(grace: Duration = .seconds(30)) {
    self.perform(self.machine.drain(grace: grace, now: .now))
    self.arm()
  }

  // MARK: - Connection

  private func connect() {
    do {
      self.linkCount += 1
      let link = try Link(
        .dealer, number: self.linkCount, in: self.context, to: self.endpoint, as: self.keys?.identity,
        linger: .milliseconds(500))
      link.observe(by: self) { worker, _ in worker.readable() }
      link.observeAdmittance(by: self) { $0.admittanceChanged() }
      self.link = link
    } catch {
      self.logger.error("cannot connect", metadata: ["error": "\(error)"])
    }
  }

  /// Handles a change of admittance. libzmq reconnects by itself, except after ``Admittance/State/refused``.
  private func admittanceChanged() {
    guard let link else { return }
    let before = link.admittance.state
    do {
      try link.drainMonitor()
    } catch {
      self.logger.error("work socket cannot be watched", metadata: ["error": "\(error)"])
    }
    switch link.admittance.state {
    case .refused:
      if let failure = link.admittance.failure(endpoint: self.endpoint, identity: self.keys?.identity, now: .now) {
        self.leave(failure)
      }
    case .cut where before != .cut && self.keys != nil:
      guard self.keys?.tryNext() == true else { return self.complain(of: link, after: .zero) }
      self.schedule(at: .now + .seconds(1)) { $0.connect() }
    case .waiting where before == .absent: self.complain(of: link, after: .seconds(3))
    case .absent, .waiting, .cut, .admitted: break
    }
  }

  /// Logs once for each link why it is not admitted.
  private func complain(of link: Link, after delay: Duration) {
    guard link.number > self.complainedOf else { return }
    self.complainedOf = link.number
    self.schedule(at: .now + delay) { worker in
      guard let link = worker.link, let identity = worker.keys?.identity,
        let failure = link.admittance.failure(endpoint: worker.endpoint, identity: identity, now: .now)
      else { return }
      worker.logger.warning("\(failure.message)")
    }
  }

  private func readable() {
    do {
      for frames in try self.link?.receive() ?? [] {
        switch WorkFrame.decode(frames) {
        case .accepted(let frame): self.take(frame.message)
        case .rejected(let rejection) where rejection.cause == .wrongMajor: self.leave(rejection.failure)
        case .rejected(let rejection):
          self.logger.warning("message not understood", metadata: ["reason": "\(rejection.failure.reason)"])
        case .foreign: break
        }
      }
    } catch {
      self.logger.error("work socket cannot receive", metadata: ["error": "\(error)"])
    }
    self.arm()
  }

  private func take(_ message: WorkMessage) {
    let now = ContinuousClock.now
    switch message {
    case .chunk(let chunk, let data): self.take(chunk, data, now)
    case .chunkAck(let ack):
      for id in self.uploads.keys.filter({ $0.sha256 == ack.sha256 }) {
        self.uploads[id]?.take(ack, now: now)
        self.goOn(id)
      }
    case .welcome(let welcome):
      if self.keys?.expect(CurveKey(z85: welcome.nextServerKeyZ85)) == true, let keys { self.onHubKeys(keys) }
    default: break
    }
    self.perform(self.machine.receive(message, now: now))
  }

  private func perform(_ directives: [WorkerMachine.Directive]) {
    for directive in directives {
      switch directive {
      case .send(let message, let service): self.send(message, service)
      case .run(let job, let command): self.start(job, command)
      case .stop(let lease):
        self.logger.info("job given up", metadata: ["lease": "\(lease)"])
        self.tasks.removeValue(forKey: lease)?.cancel()
        self.gates.removeValue(forKey: lease)?.resume()
      case .letGo(let lease, let blobs): self.letGo(blobs, of: lease)
      case .resumeTransfers: self.resumeTransfers()
      case .goOn(let lease): self.gates.removeValue(forKey: lease)?.resume()
      case .reconnect:
        self.logger.warning("the hub is silent: reconnecting")
        self.connect()
      case .left(let failure): self.leave(failure)
      }
    }
    self.forgetTransfers()
  }

  func send(_ message: WorkMessage, _ service: String = "") {
    do {
      guard let link else { return }
      // A message without room is sent again later.
      if try !link.send(try WorkFrame(message, service: service).encoded()) { link.unblock() }
      switch message {
      case .partial(let partial, _) where partial.batchSeq > 0: FaultPoint.jobBatchSent.pass()
      case .final: FaultPoint.jobEndSent.pass()
      default: break
      }
    } catch {
      self.logger.error("work socket cannot send", metadata: ["error": "\(error)", "kind": "\(message.kind)"])
    }
  }

  private func leave(_ failure: Failure?) {
    guard !self.hasLeft else { return }
    self.hasLeft = true
    self.end?.resume(returning: failure)
    self.end = nil
  }

  func arm() {
    guard !self.hasLeft else { return }
    var next = self.machine.wakeAt
    for (download, _) in self.downloads.values { next = min(next, download.retryAt) }
    for upload in self.uploads.values { next = min(next, upload.retryAt ?? next) }
    if let timer {
      guard next < timer.deadline else { return }
      self.cancel(timer)
    }
    self.timer = self.schedule(at: next) { worker in
      worker.timer = nil
      worker.tick()
    }
  }

  private func tick() {
    let now = ContinuousClock.now
    self.perform(self.machine.tick(now))
    for (id, entry) in self.downloads where entry.download.retryAt <= now { self.askAgain(id, now) }
    for (id, upload) in self.uploads where upload.retryAt.map({ $0 <= now }) ?? false { self.sendAgain(id, now) }
    self.arm()
  }

  // MARK: - Jobs

  private func start(_ job: Job, _ command: [UInt8]) {
    FaultPoint.jobTaken.pass()
    let lease = job.leaseID
    self.logger.debug("job begun", metadata: ["service": "\(job.service)", "attempt": "\(job.attempt)"])
    self.tasks[lease] = Task.detached { [services, weak self] in
      var (result, reply) = (WorkResult(), [UInt8]())
      do throws(Failure) {
        guard let self else { return }
        let command = job.hasBody ? try await self.input(job.body, for: lease) : command
        var context = CallContext(requestID: job.jobID) { progress in
          self.post { worker in worker.perform(worker.machine.progress(lease, progress, now: .now)) }
        }
        for input in job.inputs { context.attachments.append(try await self.input(input, for: lease)) }
        let checkpoint = Checkpoint(resumed: [UInt8](job.checkpoint))
        context.checkpoint = checkpoint
        reply = try await services.run(job.service, command, context) { batch throws(Failure) in
          try await self.yield(batch, Upload(batch, now: .now), checkpoint.current, of: lease)
        }
      } catch {
        result.status = error.status.fitting
      }
      await self?.finish(lease, result, reply, Upload(reply, now: .now))
    }
  }

  private func finish(_ lease: String, _ result: WorkResult, _ reply: [UInt8], _ upload: Upload?) async {
    FaultPoint.jobRun.pass()
    guard self.tasks[lease] != nil else { return }
    var (result, reply) = (result, reply)
    if let upload {
      reply = []
      do throws(Failure) {
        result.outputs = [try await self.upload(upload, for: lease)]
      } catch {
        result.status = error.status.fitting
      }
    }
    guard self.tasks.removeValue(forKey: lease) != nil else { return }
    self.perform(self.machine.ended(lease, result, reply, now: .now))
    self.arm()
  }

  private func yield(
    _ batch: [UInt8], _ upload: Upload?, _ checkpoint: [UInt8], of lease: String
  ) async throws(Failure) {
    guard self.tasks[lease] != nil else { throw .cancelled }
    var (batch, outputs) = (batch, [BlobRef]())
    if let upload {
      outputs = [try await self.upload(upload, for: lease)]
      batch = []
    }
    await withCheckedContinuation { gate in
      guard self.tasks[lease] != nil else { return gate.resume() }
      self.gates[lease] = gate
      self.perform(
        self.machine.batch(lease, batch, checkpoint: checkpoint, outputs: outputs, now: .now))
      self.arm()
    }
    guard self.tasks[lease] != nil else { throw .cancelled }
  }
}

extension Status {
  /// The status, shortened to fit into a header.
  fileprivate var fitting: Status {
    var status = self
    if status.message.utf8.count > 1024 { status.message = String(status.message.unicodeScalars.prefix(256)) }
    if status.details.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > 1024 { status.details = [:] }
    return status
  }
}

/// A worker's key pair, and its hub's public keys: the current one and, during a change, the next one. A pure value.
///
/// ```swift
/// let keys = HubKeys(own: try CurveKeyPair.random(), servers: [hubKey])
/// ```
public struct HubKeys: Sendable, Hashable {
  private let own: CurveKeyPair
  /// The hub's public keys; the first one is in use.
  public private(set) var servers: [CurveKey]

  /// Makes the keys; nil if `servers` is empty.
  public init?(own: CurveKeyPair, servers: [CurveKey]) {
    guard !servers.isEmpty else { return nil }
    self.own = own
    self.servers = servers
  }

  /// The identity for the first of ``servers``.
  var identity: CurveIdentity { CurveIdentity(keys: self.own, serverKey: self.servers[0]) }

  /// Switches to the next key, because the hub does not have the current one.
  ///
  /// - Returns: Whether there is another key.
  mutating func tryNext() -> Bool {
    self.servers.append(self.servers.removeFirst())
    return self.servers.count > 1
  }

  /// Confirms the current key and sets the next one; nil = none.
  ///
  /// - Returns: Whether the keys changed.
  mutating func expect(_ next: CurveKey?) -> Bool {
    let servers = [self.servers[0]] + (next.map { [$0] } ?? [])
    defer { self.servers = servers }
    return servers != self.servers
  }
}
