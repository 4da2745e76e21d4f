internal import Bus
internal import KithMessages

/// Decides which worker runs which job: credit, leases, lost workers and retries.
///
/// A pure value: messages and time come in, directives come out. A change of a job is committed before a worker or caller
/// is told of it: the plane answers ``Directive/store(_:_:)`` by ``stored(_:_:now:)``.
struct LeaseTable: Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Peer = [UInt8]

  /// The next steps of the plane.
  enum Directive: Sendable, Equatable {
    case send(Peer, WorkMessage)
    /// Sends a job with its command.
    case give(Peer, Job)
    /// Commits a change, then calls ``LeaseTable/stored(_:_:now:)``.
    case store(JobRecord, Stored)
    /// Passes a batch to the caller, which reports when it has stored it.
    case deliver(job: String, batch: UInt32)
    /// Passes progress to the caller.
    case report(job: String, Progress)
    /// Reports the end of a job to its caller; the table no longer has the job.
    case conclude(JobRecord)
  }

  /// The purpose of a commit.
  enum Stored: Sendable, Equatable {
    case queued
    case lease(String)
    case batch(UInt32)
    /// The end in this state; the worker that reported it waits for an ACK.
    case end(JobState, Peer?, lease: String)
  }

  let timing: WorkTiming
  /// The hub's next public key in Z85, for WELCOME.
  var nextServerKey = ""
  let makeID: @Sendable () -> String
  var workers = WorkerTable()
  var jobs: [String: LeasedJob] = [:]
  /// Queued jobs by method, in order of arrival.
  var queues: [String: ArraySlice<String>] = [:]
  /// The job of each current and past lease.
  var jobsByLease: [String: String] = [:]
  private var nextHeartbeat: Instant?

  /// When ``tick(_:)`` is due.
  var wakeAt: Instant?

  init(timing: WorkTiming = WorkTiming(), makeID: @escaping @Sendable () -> String = { UUIDv7.make().text }) {
    self.timing = timing
    self.makeID = makeID
  }

  // MARK: - Jobs

  /// Adds a job that is stored as queued.
  mutating func add(_ record: JobRecord, isOnce: Bool, now: Instant) -> [Directive] {
    guard self.jobs[record.id] == nil else { return [] }
    self.jobs[record.id] = LeasedJob(record, isOnce: isOnce, phase: .queued(notBefore: now))
    self.enqueue(record.id)
    return self.dispatch(now)
  }

  /// Removes a job of unknown outcome.
  mutating func forget(_ id: String) {
    if let job = self.jobs[id], job.phase == .unknown { self.forget(job) }
  }

  /// Restores a job that a worker had when the last process ended; the worker may resume its lease.
  mutating func restore(_ record: JobRecord, isOnce: Bool, now: Instant) {
    var job = LeasedJob(record, isOnce: isOnce, phase: record.state == .unknown ? .unknown : .leased)
    job.isClaimed = false
    if record.state == .leased {
      let until = now + self.timing.grace
      job.lease = LeasedJob.Lease(
        id: record.leaseID, instance: record.instance, expiresAt: now + self.timing.lease, heardAt: now,
        graceUntil: until)
      self.wake(at: until)
    }
    self.jobs[record.id] = job
    self.jobsByLease[record.leaseID] = record.id
  }

  /// Restarts the grace period in which workers may resume their leases, because the hub has opened a port. No lease
  /// becomes longer.
  mutating func extendGrace(now: Instant) {
    let until = now + self.timing.grace
    for (id, job) in self.jobs where job.phase == .leased && job.lease?.graceUntil != nil {
      self.jobs[id]?.lease?.graceUntil = until
    }
  }

  /// Cancels a job.
  mutating func cancel(_ id: String, _ reason: String, now: Instant) -> [Directive] {
    guard var job = self.jobs[id], job.phase != .ending, job.phase != .unknown else { return [] }
    var directives: [Directive] = []
    if job.phase == .leased, let lease = job.lease {
      if let peer = self.workers.peer(of: lease.instance) {
        directives.append(.send(peer, .cancel(Self.cancel(job, reason))))
      }
      if job.isOnce { return directives + self.leaveUnknown(&job) }
    }
    if job.phase == .granting, let peer = self.workers.peer(of: job.record.instance) {
      // The job was not sent, so the slot is free again.
      self.workers[peer]?.credit += 1
    }
    return directives + [self.end(&job, .cancelled)]
  }

  /// Handles a job that could not be sent to its worker; it was not started.
  mutating func notSent(_ id: String, now: Instant) -> [Directive] {
    guard self.jobs[id]?.phase == .leased else { return [] }
    self.jobs[id]?.phase = .granting
    return self.lose(id, isCounted: false, now)
  }

  /// Handles a batch that the caller has stored.
  mutating func taken(_ id: String, batch: UInt32, now: Instant) -> [Directive] {
    guard var job = self.jobs[id], job.phase != .ending, batch == job.record.batches + 1, batch <= job.received else {
      return []
    }
    job.record.batches = batch
    job.record.checkpoint = job.checkpoints.removeValue(forKey: batch) ?? []
    job.batchAttempt = job.record.attempt
    self.jobs[id] = job
    return [.store(job.record, .batch(batch))] + self.dispatch(now)
  }

  // MARK: - Messages of workers

  /// Handles READY: a worker has connected, for the first time or again.
  ///
  /// - Parameter services: The capabilities that it is approved for.
  mutating func ready(
    _ ready: Ready, from peer: Peer, principal: String, services: [String], now: Instant
  ) -> [Directive] {
    var directives = self.replace(ready, peer, now)
    let before = self.workers.peer(of: ready.instanceID)
    let isSameConnection = before == peer
    let isDraining = before.flatMap { self.workers[$0]?.isDraining } ?? false
    if let before, !isSameConnection { self.workers[before] = nil }
    var session = WorkerSession(
      peer: peer, name: ready.workerName, instance: ready.instanceID, principal: principal, services: services,
      software: ready.software, since: self.workers[peer]?.since ?? now, credit: 0, heardAt: now, isDraining: isDraining
    )
    // Jobs of services that its key is no longer approved for.
    for job in self.jobs.values where job.lease?.instance == session.instance && !session.serves(job.record.service) {
      directives += self.lose(job.record.id, isCounted: false, now)
    }
    var welcome = Welcome()
    welcome.sessionID = self.makeID()
    welcome.heartbeat = .init(of: self.timing.heartbeat)
    welcome.lease = .init(of: self.timing.lease)
    welcome.resumeGrace = .init(of: self.timing.grace)
    welcome.maxChunk = UInt32(WireLimits.attachment)
    welcome.maxWindow = WireLimits.window
    welcome.nextServerKeyZ85 = self.nextServerKey
    var kept: Set<String> = []
    for held in ready.held {
      guard var job = self.jobs[held.jobID], job.accepts(held.leaseID), job.phase != .ending else {
        // A job whose end is being committed is answered by its ACK.
        if self.jobs[held.jobID]?.phase != .ending { welcome.lostLeaseIds.append(held.leaseID) }
        continue
      }
      guard job.lease?.id == held.leaseID else {
        if job.phase != .unknown || !session.serves(job.record.service) { welcome.lostLeaseIds.append(held.leaseID) }
        continue
      }
      kept.insert(job.record.id)
      self.renew(&job, now)
      self.jobs[held.jobID] = job
    }
    let others = self.jobs.values.filter { $0.lease?.instance == ready.instanceID && !kept.contains($0.record.id) }
    // On an unbroken connection these jobs may be on their way to it; a grant that is being stored is sent on any.
    let isOnTheWay = UInt32(others.count { isSameConnection || $0.phase == .granting })
    if !isSameConnection {
      for job in others where job.phase == .leased { directives += self.lose(job.record.id, now) }
    }
    let credit = min(ready.credit, WireLimits.credit)
    session.credit = credit - min(isOnTheWay, credit)
    self.workers[peer] = session
    if self.nextHeartbeat == nil { self.nextHeartbeat = now + self.timing.heartbeat }
    self.wake(at: now + self.timing.heartbeat)
    return directives + [.send(peer, .welcome(welcome))] + self.dispatch(now)
  }

  /// Ends the session of another process with the same worker name.
  private mutating func replace(_ ready: Ready, _ peer: Peer, _ now: Instant) -> [Directive] {
    var directives: [Directive] = []
    for old in self.workers.sessions.values where old.name == ready.workerName && old.instance != ready.instanceID {
      self.workers[old.peer] = nil
      if old.peer != peer {
        directives.append(
          .send(
            old.peer,
            Self.disconnect(.aborted, "REPLACED", "Another worker with the name '\(old.name)' has connected.")))
      }
    }
    for job in self.jobs.values
    where job.record.worker == ready.workerName && job.lease != nil && job.lease?.instance != ready.instanceID {
      directives += self.lose(job.record.id, now)
    }
    return directives
  }

  mutating func heartbeat(_ heartbeat: Heartbeat, from peer: Peer, now: Instant) -> [Directive] {
    guard self.hear(peer, now) else { return [Self.unknownSession(peer)] }
    guard !heartbeat.leaseIds.isEmpty else { return [] }
    var update = LeaseUpdate()
    update.lease = .init(of: self.timing.lease)
    for id in heartbeat.leaseIds {
      guard var job = self.jobsByLease[id].flatMap({ self.jobs[$0] }), job.isHeld(under: id) else {
        update.revoked.append(id)
        continue
      }
      self.renew(&job, now)
      self.jobs[job.record.id] = job
      update.renewed.append(id)
    }
    return [.send(peer, .lease(update))]
  }

  mutating func partial(_ partial: Partial, from peer: Peer, now: Instant) -> [Directive] {
    guard self.hear(peer, now) else { return [Self.unknownSession(peer)] }
    guard var job = self.jobs[partial.jobID], job.isHeld(under: partial.leaseID), job.phase != .granting else {
      // A job whose end is being committed is answered by its ACK.
      if self.jobs[partial.jobID]?.phase == .ending { return [] }
      return [.send(peer, Self.revoked(partial.leaseID))]
    }
    // Of unknown outcome: the caller has left; the worker may still report the end.
    guard job.phase == .leased else { return [] }
    self.renew(&job, now)
    var directives: [Directive] = []
    if partial.hasProgress {
      job.progress = partial.progress
      directives.append(.report(job: job.record.id, partial.progress))
    }
    if partial.batchSeq > 0 {
      if partial.batchSeq <= job.record.batches {
        directives.append(.send(peer, Self.committed(job)))
      } else if self.wants(partial) {
        job.received += 1
        job.checkpoints[job.received] = Array(partial.checkpoint.prefix(WireLimits.checkpoint))
        directives.append(.deliver(job: job.record.id, batch: job.received))
      }
    }
    self.jobs[partial.jobID] = job
    return directives
  }

  /// Handles the end of a job.
  ///
  /// - Parameter reply: In protobuf.
  mutating func final(_ result: WorkResult, _ reply: [UInt8], from peer: Peer, now: Instant) -> [Directive] {
    guard self.hear(peer, now) else { return [Self.unknownSession(peer)] }
    guard var job = self.jobs[result.jobID], job.accepts(result.leaseID),
      self.workers[peer]?.serves(job.record.service) == true
    else {
      return [.send(peer, Self.ack(result.jobID, result.leaseID, isDuplicate: true))]
    }
    // The end is being committed; the ACK follows.
    guard job.phase != .ending else { return [] }
    let isCurrent = result.leaseID == job.lease?.id
    if result.retryable, result.status.code != .ok {
      guard isCurrent else { return [.send(peer, Self.ack(result.jobID, result.leaseID, isDuplicate: true))] }
      let isCounted = !["DRAINING", "NO_CREDIT"].contains(result.status.reason)
      // A worker that returns a job has no free slot until it sends CREDIT.
      if !isCounted { self.workers[peer]?.credit = 0 }
      job.record.status = result.status
      self.jobs[job.record.id] = job
      return [.send(peer, Self.ack(result.jobID, result.leaseID, isDuplicate: false))]
        + self.lose(job.record.id, isCounted: isCounted, isRefused: result.status.reason == "NO_CREDIT", now)
    }
    var directives: [Directive] = []
    if !isCurrent, job.phase == .leased, let other = job.lease, let peer = self.workers.peer(of: other.instance) {
      directives.append(.send(peer, .cancel(Self.cancel(job, "another worker brought the result"))))
    }
    job.record.status = result.status
    job.record.reply = reply
    let state = result.status.code == .ok ? JobState.done : .failed
    return directives + [self.end(&job, state, by: peer, result.leaseID)]
  }

  mutating func credit(_ credit: Credit, from peer: Peer, now: Instant) -> [Directive] {
    guard self.hear(peer, now) else { return [Self.unknownSession(peer)] }
    self.workers[peer]?.credit += min(credit.add, WireLimits.credit)
    self.workers[peer]?.credit.clamp(to: WireLimits.credit)
    return self.dispatch(now)
  }

  mutating func drain(from peer: Peer, now: Instant) -> [Directive] {
    guard self.hear(peer, now) else { return [Self.unknownSession(peer)] }
    self.workers[peer]?.isDraining = true
    return []
  }

  /// Ends a session. Its unfinished jobs go to other workers at once.
  ///
  /// - Parameter isFaulty: Whether the worker broke the protocol, so that its jobs count a loss.
  mutating func disconnect(from peer: Peer, isFaulty: Bool = false, now: Instant) -> [Directive] {
    guard let session = self.workers[peer] else { return [] }
    self.workers[peer] = nil
    var directives: [Directive] = []
    for job in self.jobs.values where job.lease?.instance == session.instance {
      directives += self.lose(job.record.id, isCounted: isFaulty, now)
    }
    return directives + self.dispatch(now)
  }

  /// Handles a worker whose connection is gone.
  mutating func unreachable(_ peer: Peer, now: Instant) {
    guard let session = self.workers[peer] else { return }
    self.workers[peer] = nil
    let until = now + self.timing.grace
    for job in self.jobs.values where job.lease?.instance == session.instance && job.phase == .leased {
      self.jobs[job.record.id]?.lease?.graceUntil = until
      self.wake(at: until)
    }
  }

  /// Records a sign of life. Returns false if the session is unknown.
  mutating func hear(_ peer: Peer, _ now: Instant) -> Bool {
    guard self.workers[peer] != nil else { return false }
    self.workers[peer]?.heardAt = now
    return true
  }

  // MARK: - Commits and time

  /// Handles a committed change.
  mutating func stored(_ id: String, _ stored: Stored, now: Instant) -> [Directive] {
    guard var job = self.jobs[id] else { return [] }
    switch stored {
    case .queued:
      return self.dispatch(now)
    case .lease(let leaseID):
      guard job.phase == .granting, let lease = job.lease, lease.id == leaseID else { return [] }
      guard let peer = self.workers.peer(of: lease.instance) else {
        // The worker left before the job was sent.
        return self.lose(id, isCounted: false, now)
      }
      job.phase = .leased
      self.renew(&job, now)
      self.jobs[id] = job
      return [.give(peer, self.message(job))]
    case .batch:
      guard job.phase == .leased, let lease = job.lease, let peer = self.workers.peer(of: lease.instance) else {
        return []
      }
      return [.send(peer, Self.committed(job))]
    case .end(let state, let peer, let leaseID):
      guard job.record.state == state else { return [] }
      // Of unknown outcome: the caller is told; the worker may still report the end.
      if state != .unknown { self.forget(job) }
      var directives: [Directive] = [.conclude(job.record)]
      if let peer { directives.append(.send(peer, Self.ack(id, leaseID, isDuplicate: false))) }
      return directives + self.dispatch(now)
    }
  }

  /// Handles the passage of time.
  mutating func tick(_ now: Instant) -> [Directive] {
    guard let wakeAt = self.wakeAt, wakeAt <= now else { return [] }
    self.wakeAt = nil
    var directives: [Directive] = []
    for session in self.workers.sessions.values where session.heardAt + self.timing.silence <= now {
      self.unreachable(session.peer, now: now)
    }
    if let next = self.nextHeartbeat, next <= now {
      self.nextHeartbeat = self.workers.sessions.isEmpty ? nil : now + self.timing.heartbeat
      directives += self.workers.sessions.keys.map { .send($0, .heartbeat(Heartbeat())) }
    }
    for job in self.jobs.values where job.phase == .leased {
      guard let lease = job.lease else { continue }
      let end = job.end(of: lease)
      if end <= now { directives += self.lose(job.record.id, now) } else { self.wake(at: end) }
    }
    if let next = self.nextHeartbeat { self.wake(at: next) }
    return directives + self.dispatch(now)
  }

  /// What a queued job waits for: its caller, a worker that serves it, a free slot, or the end of a back-off; nil for
  /// any other job.
  func waitsFor(_ id: String) -> JobWait? {
    guard let job = self.jobs[id], case .queued(let notBefore) = job.phase else { return nil }
    if !job.isClaimed { return .caller }
    if !self.workers.isServed(job.record.service) { return .worker }
    return notBefore > .now ? .backoff : .credit
  }
}
