internal import Bus
internal import KithMessages

internal import struct Foundation.Data

/// A worker's side of the work plane: its jobs, what the hub has not acknowledged, and when to stop by itself.
///
/// A pure value: messages, ends of jobs and time come in, directives come out.
struct WorkerMachine: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The next steps of the worker.
  enum Directive: Sendable, Equatable {
    case send(WorkMessage, service: String)
    /// Start a job; the bytes are its command.
    case run(Job, [UInt8])
    /// Stop a job; its result is ignored.
    case stop(lease: String)
    /// Ask the job for its next batch.
    case goOn(lease: String)
    /// Release blobs of stored batches, which are not sent again.
    case letGo(lease: String, blobs: [BlobRef])
    /// Resume the transfers; messages of the previous session may be lost.
    case resumeTransfers
    /// Open a new connection: the hub has been silent for too long.
    case reconnect
    /// Leave; with the failure if the hub refused the worker.
    case left(Failure?)
  }

  /// The worker's name, process, capabilities and slots.
  struct Identity: Sendable {
    var name: String
    var instance: String
    /// The methods that it runs.
    var capabilities: [String]
    var slots: UInt32
  }

  private struct Held: Sendable {
    let job: Job
    var renewedAt: Instant
    /// The end of the job; nil while it runs.
    var end: (result: WorkResult, reply: [UInt8])?
    var endSentAt: Instant
    var batches: [(message: Partial, body: [UInt8], sentAt: Instant)] = []
    var nextBatch: UInt32
    var progressSentAt: Instant?

    /// Whether it occupies a slot: until its end is sent, after all of its batches.
    var hasSlot: Bool { self.end == nil || !self.batches.isEmpty }
  }

  private let identity: Identity
  private let resendEvery = Duration.seconds(5)
  private let readyEvery = Duration.seconds(1)
  private let refreshEvery = Duration.seconds(10)
  private let leftWithin = Duration.seconds(5)
  private let window = 2

  private var heartbeat = Duration.milliseconds(2500)
  private var lease = Duration.seconds(30)
  private var held: [String: Held] = [:]
  private var isWelcome = false
  private var readyAt: Instant
  private var nextHeartbeat: Instant
  private var heardAt: Instant
  /// READY is not sent before this time, as the hub requested.
  private var notBefore: Instant?
  /// The end of the grace period of a drain.
  private(set) var drainUntil: Instant?

  init(_ identity: Identity, now: Instant) {
    self.identity = identity
    self.readyAt = now
    self.nextHeartbeat = now
    self.heardAt = now
  }

  /// The leases of running jobs and of jobs whose end the hub has not acknowledged.
  var leases: [String] { self.held.keys.sorted() }

  private var running: UInt32 { UInt32(self.held.values.count { $0.hasSlot }) }
  private var free: UInt32 { self.identity.slots - min(self.running, self.identity.slots) }

  // MARK: - Beginning and end

  /// Starts a session.
  mutating func start(now: Instant) -> [Directive] {
    self.isWelcome = false
    return self.sendReady(now)
  }

  /// Takes no more jobs. Held jobs may end until `grace` is over.
  mutating func drain(grace: Duration, now: Instant) -> [Directive] {
    guard self.drainUntil == nil else { return [] }
    self.drainUntil = now + grace
    var message = Drain()
    message.grace = .init(of: grace)
    message.reason = "the worker is stopping"
    return [.send(.drain(message), service: "")] + self.leaveIfIdle()
  }

  // MARK: - Events of jobs

  /// Handles the end of a job.
  mutating func ended(_ leaseID: String, _ result: WorkResult, _ reply: [UInt8], now: Instant) -> [Directive] {
    guard self.held[leaseID]?.end == nil else { return [] }
    self.keep(result, reply, leaseID, now)
    // The end implies that all batches before it are stored.
    guard self.held[leaseID]?.batches.isEmpty == true else { return [] }
    return self.sendEnd(leaseID, now)
  }

  private mutating func keep(_ result: WorkResult, _ reply: [UInt8], _ leaseID: String, _ now: Instant) {
    guard let job = self.held[leaseID]?.job else { return }
    var result = result
    result.jobID = job.jobID
    result.attempt = job.attempt
    result.leaseID = leaseID
    self.held[leaseID]?.end = (result, reply)
    self.held[leaseID]?.endSentAt = now
  }

  /// Handles a batch of a job. The next batch is wanted after ``Directive/goOn(lease:)``.
  mutating func batch(
    _ leaseID: String, _ body: [UInt8], checkpoint: [UInt8], outputs: [BlobRef] = [], now: Instant
  ) -> [Directive] {
    guard var held = self.held[leaseID], held.end == nil else { return [] }
    var message = Partial()
    message.jobID = held.job.jobID
    message.attempt = held.job.attempt
    message.leaseID = leaseID
    message.batchSeq = held.nextBatch
    message.checkpoint = .init(checkpoint)
    message.outputs = outputs
    held.nextBatch += 1
    held.batches.append((message, body, now))
    let isRoom = held.batches.count < self.window
    self.held[leaseID] = held
    return [.send(.partial(message, body), service: held.job.service)] + (isRoom ? [.goOn(lease: leaseID)] : [])
  }

  /// Handles progress of a job; it is sent at most once a second.
  mutating func progress(_ leaseID: String, _ progress: Progress, now: Instant) -> [Directive] {
    guard let held = self.held[leaseID], held.end == nil, held.progressSentAt.map({ $0 + .seconds(1) <= now }) ?? true
    else { return [] }
    self.held[leaseID]?.progressSentAt = now
    var message = Partial()
    message.jobID = held.job.jobID
    message.attempt = held.job.attempt
    message.leaseID = leaseID
    message.progress = progress
    return [.send(.partial(message, []), service: held.job.service)]
  }

  // MARK: - Messages of the hub

  mutating func receive(_ message: WorkMessage, now: Instant) -> [Directive] {
    self.heardAt = now
    switch message {
    case .welcome(let welcome): return self.welcome(welcome, now)
    case .job(let job, let command): return self.take(job, command, now)
    case .lease(let update): return self.take(update, now)
    case .ack(let ack): return self.drop(ack.leaseID)
    case .cancel(let cancel): return self.drop(cancel.leaseID)
    case .disconnect(let disconnect): return self.take(disconnect, now)
    case .drain, .heartbeat, .chunk, .chunkAck: return []
    case .ready, .partial, .final, .credit, .fetch: return []
    }
  }

  private mutating func welcome(_ welcome: Welcome, _ now: Instant) -> [Directive] {
    let isNew = !self.isWelcome
    self.isWelcome = true
    if welcome.heartbeat.span > .zero { self.heartbeat = welcome.heartbeat.span }
    if welcome.lease.span > .zero { self.lease = welcome.lease.span }
    self.nextHeartbeat = min(self.nextHeartbeat, now + self.heartbeat)
    // An ended job is reported all the same: the first end of a job counts, and each end is acknowledged.
    var directives = welcome.lostLeaseIds.filter { !self.hasEnded($0) }.flatMap { self.drop($0) }
    for id in self.held.keys { self.held[id]?.renewedAt = now }
    // Messages of the previous session may be lost.
    if isNew {
      for id in self.held.keys.sorted() { directives += self.sendAgain(id, now) }
      if !self.held.isEmpty { directives.append(.resumeTransfers) }
    }
    return directives
  }

  /// Whether only the end of a job is left to be sent.
  private func hasEnded(_ leaseID: String) -> Bool {
    self.held[leaseID].map { $0.end != nil && $0.batches.isEmpty } ?? false
  }

  private mutating func take(_ job: Job, _ command: [UInt8], _ now: Instant) -> [Directive] {
    guard self.held[job.leaseID] == nil else { return [] }
    // A draining worker has no slots. `DRAINING` is the reason for jobs that it has started.
    let isRefused = self.drainUntil != nil || self.free == 0
    self.held[job.leaseID] = Held(
      job: job, renewedAt: now, endSentAt: now, nextBatch: job.batches + 1)
    if isRefused {
      var result = WorkResult()
      result.status = Failure(.resourceExhausted, "NO_CREDIT", "The worker has no free slot.").status
      result.retryable = true
      self.keep(result, [], job.leaseID, now)
      // The job had no slot, so no slot becomes free.
      return self.sendAgain(job.leaseID, now)
    }
    return [.run(job, command)]
  }

  private mutating func take(_ update: LeaseUpdate, _ now: Instant) -> [Directive] {
    for id in update.renewed { self.held[id]?.renewedAt = now }
    var directives = update.revoked.flatMap { self.drop($0) }
    guard update.committedBatch > 0, var held = self.held[update.leaseID] else { return directives }
    let wasFull = held.batches.count >= self.window
    let stored = held.batches.prefix { $0.message.batchSeq <= update.committedBatch }
    held.batches.removeFirst(stored.count)
    let needed = held.batches.flatMap(\.message.outputs) + (held.end?.result.outputs ?? [])
    let blobs = stored.flatMap(\.message.outputs).filter { !needed.contains($0) }
    if !blobs.isEmpty { directives.append(.letGo(lease: update.leaseID, blobs: blobs)) }
    let isRoom = held.batches.count < self.window
    self.held[update.leaseID] = held
    if wasFull, isRoom, held.end == nil { directives.append(.goOn(lease: update.leaseID)) }
    if held.batches.isEmpty, held.end != nil { directives += self.sendEnd(update.leaseID, now) }
    return directives
  }

  private mutating func take(_ disconnect: Disconnect, _ now: Instant) -> [Directive] {
    switch disconnect.status.reason {
    case "SESSION_UNKNOWN":
      // Once, although the hub answers each message of the old session like this.
      guard self.isWelcome || now >= self.readyAt + self.readyEvery else { return [] }
      self.isWelcome = false
      return self.sendReady(now)
    case "SHUTTING_DOWN":
      self.isWelcome = false
      self.notBefore = now + disconnect.reconnectAfter.span
      return []
    default: return [.left(Failure(status: disconnect.status))]
    }
  }

  // MARK: - Time

  /// When ``tick(_:)`` is due.
  var wakeAt: Instant {
    let ready = self.readyAt + (self.isWelcome ? self.refreshEvery : self.readyEvery)
    var next = min(self.nextHeartbeat, max(ready, self.notBefore ?? ready))
    for held in self.held.values {
      if held.end == nil { next = min(next, held.renewedAt + self.lease * 17 / 20) }
      // Nothing is sent again before WELCOME.
      guard self.isWelcome else { continue }
      if held.end != nil, held.batches.isEmpty { next = min(next, held.endSentAt + self.resendEvery) }
      if let first = held.batches.first { next = min(next, first.sentAt + self.resendEvery) }
    }
    if let drainUntil {
      next = min(next, self.running > 0 ? drainUntil : drainUntil + self.leftWithin)
    }
    return next
  }

  /// Handles the passage of time.
  mutating func tick(_ now: Instant) -> [Directive] {
    var directives: [Directive] = []
    // By its own clock: at the end of the lease the hub gives the job to another worker. An ended job is kept until the hub
    // acknowledges or rejects it.
    for (id, held) in self.held where held.end == nil && held.renewedAt + self.lease * 17 / 20 <= now {
      directives += self.drop(id)
    }
    if self.heardAt + self.heartbeat * 4 <= now {
      self.heardAt = now
      self.isWelcome = false
      directives.append(.reconnect)
      directives += self.sendReady(now)
    }
    if now >= self.readyAt + (self.isWelcome ? self.refreshEvery : self.readyEvery),
      self.notBefore.map({ $0 <= now }) ?? true
    {
      directives += self.sendReady(now)
    }
    if self.nextHeartbeat <= now {
      self.nextHeartbeat = now + self.heartbeat
      if self.isWelcome {
        var message = Heartbeat()
        message.leaseIds = self.leases
        message.creditInUse = self.running
        directives.append(.send(.heartbeat(message), service: ""))
      }
    }
    if self.isWelcome {
      for (id, held) in self.held {
        let since = held.batches.first?.sentAt ?? held.endSentAt
        if held.end != nil || !held.batches.isEmpty, since + self.resendEvery <= now {
          directives += self.sendAgain(id, now)
        }
      }
    }
    return directives + self.endDraining(now)
  }

  /// Returns unfinished jobs to the hub when the grace period is over, and leaves some time later.
  private mutating func endDraining(_ now: Instant) -> [Directive] {
    guard let drainUntil, drainUntil <= now else { return [] }
    if drainUntil + self.leftWithin <= now { return [.left(nil)] }
    var directives: [Directive] = []
    for (id, held) in self.held where held.end == nil {
      var result = WorkResult()
      result.status = Failure(.cancelled, "DRAINING", "The worker is stopping.").status
      result.retryable = true
      self.held[id]?.batches = []
      directives += [.stop(lease: id)] + self.ended(id, result, [], now: now)
    }
    return directives + self.leaveIfIdle()
  }

  // MARK: - Sending

  private mutating func sendReady(_ now: Instant) -> [Directive] {
    self.readyAt = now
    self.notBefore = nil
    var ready = Ready()
    ready.workerName = self.identity.name
    ready.instanceID = self.identity.instance
    ready.capabilities = self.identity.capabilities.map { name in
      var capability = Capability()
      capability.name = name
      capability.version = 1
      return capability
    }
    ready.credit = self.drainUntil == nil ? self.free : 0
    ready.held = self.held.values.map { held in
      var message = KithMessages.Held()
      message.jobID = held.job.jobID
      message.attempt = held.job.attempt
      message.leaseID = held.job.leaseID
      return message
    }.sorted { $0.leaseID < $1.leaseID }
    ready.software = "kithd \(SoftwareVersion.current)"
    return [.send(.ready(ready), service: "")]
  }

  /// Sends the end of a job, and CREDIT for its slot.
  private mutating func sendEnd(_ leaseID: String, _ now: Instant) -> [Directive] {
    self.sendAgain(leaseID, now) + self.sendCredit()
  }

  private mutating func sendAgain(_ leaseID: String, _ now: Instant) -> [Directive] {
    guard let held = self.held[leaseID] else { return [] }
    if held.batches.isEmpty {
      guard let end = held.end else { return [] }
      self.held[leaseID]?.endSentAt = now
      return [.send(.final(end.result, end.reply), service: held.job.service)]
    }
    for index in held.batches.indices { self.held[leaseID]?.batches[index].sentAt = now }
    return held.batches.map { .send(.partial($0.message, $0.body), service: held.job.service) }
  }

  private func sendCredit() -> [Directive] {
    guard self.drainUntil == nil else { return [] }
    var credit = Credit()
    credit.add = 1
    return [.send(.credit(credit), service: "")]
  }

  /// Removes a job: the hub has acknowledged its end, or the lease is lost.
  private mutating func drop(_ leaseID: String) -> [Directive] {
    guard let held = self.held.removeValue(forKey: leaseID) else { return [] }
    return (held.end == nil ? [.stop(lease: leaseID)] : []) + (held.hasSlot ? self.sendCredit() : [])
      + self.leaveIfIdle()
  }

  private func leaveIfIdle() -> [Directive] {
    guard self.drainUntil != nil, self.held.isEmpty else { return [] }
    var message = Disconnect()
    message.status = Failure(.cancelled, "DRAINING", "The worker has stopped.").status
    return [.send(.disconnect(message), service: ""), .left(nil)]
  }
}
