internal import Bus
internal import KithMessages

/// Which worker has which job: credit, leases, loss and repetition.
///
/// A pure value: messages and time come in, directives come out. Whatever changes a job is committed before a worker or a
/// caller hears of it: a directive ``Directive/store(_:_:)`` is answered by ``stored(_:_:now:)``.
struct LeaseTable: Sendable {
  typealias Instant = ContinuousClock.Instant
  typealias Peer = [UInt8]

  /// What the plane has to do.
  enum Directive: Sendable, Equatable {
    case send(Peer, WorkMessage)
    /// Sends a job; the plane knows the command.
    case give(Peer, Job)
    /// Commits a change; what was stored comes back.
    case store(JobRecord, Stored)
    /// Hands a batch to the caller, which says when it has stored it.
    case deliver(job: String, batch: UInt32)
    /// Tells the caller how far it is.
    case report(job: String, Progress)
    /// The job has left the table: its caller is told what came of it.
    case conclude(JobRecord)
  }

  /// What a commit was for.
  enum Stored: Sendable, Equatable {
    case queued
    case lease(String)
    case batch(UInt32)
    /// The end in this state; the worker that brought it waits for an ACK.
    case end(JobRecord.State, Peer?, lease: String)
  }

  let timing: WorkTiming
  /// What workers are told of the hub's next key, in Z85.
  var nextServerKey = ""
  let makeID: @Sendable () -> String
  var workers = WorkerTable()
  var jobs: [String: LeasedJob] = [:]
  /// Jobs that wait, by method, in the order in which they came.
  var queues: [String: ArraySlice<String>] = [:]
  /// The job of each lease that is or was out.
  var jobsByLease: [String: String] = [:]
  private var nextHeartbeat: Instant?

  /// When ``tick(_:)`` has something to do next.
  var wakeAt: Instant?

  init(timing: WorkTiming = WorkTiming(), makeID: @escaping @Sendable () -> String = { UUIDv7.make().text }) {
    self.timing = timing
    self.makeID = makeID
  }

  // MARK: - Jobs

  /// Takes in a job that is stored as waiting.
  mutating func add(_ record: JobRecord, isOnce: Bool, now: Instant) -> [Directive] {
    guard self.jobs[record.id] == nil else { return [] }
    self.jobs[record.id] = LeasedJob(record, isOnce: isOnce, phase: .queued(notBefore: now))
    self.enqueue(record.id)
    return self.dispatch(now)
  }

  /// Drops a job of unknown outcome: a person has decided.
  mutating func forget(_ id: String) {
    if let job = self.jobs[id], job.phase == .unknown { self.forget(job) }
  }

  /// Takes in a job that was with a worker when the last process ended: it may come back to it.
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

  /// The way to the hub is open, or open anew: the time in which workers may come back to their leases begins. No lease
  /// becomes longer by that.
  mutating func extendGrace(now: Instant) {
    let until = now + self.timing.grace
    for (id, job) in self.jobs where job.phase == .leased && job.lease?.graceUntil != nil {
      self.jobs[id]?.lease?.graceUntil = until
    }
  }

  /// Nobody wants the job any more.
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
      // Nothing was sent: the slot is free again.
      self.workers[peer]?.credit += 1
    }
    return directives + [self.end(&job, .cancelled)]
  }

  /// A job could not be sent to the worker that it was granted to: nobody has begun it.
  mutating func notSent(_ id: String, now: Instant) -> [Directive] {
    guard self.jobs[id]?.phase == .leased else { return [] }
    self.jobs[id]?.phase = .granting
    return self.lose(id, isCounted: false, now)
  }

  /// The caller has taken a batch.
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

  // MARK: - What workers say

  /// A worker is there, for the first time or again.
  ///
  /// - Parameter services: Those of its capabilities that it is approved for.
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
    // What its key is not approved for any more.
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
        // What ends just now is answered by its ACK.
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
    // Over an unbroken connection they may be on their way to it; a grant that is being stored goes over any.
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

  /// A worker with the same name in another process: the one before has ended, whatever it still seems.
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
      // What ends just now is answered by its ACK.
      if self.jobs[partial.jobID]?.phase == .ending { return [] }
      return [.send(peer, Self.revoked(partial.leaseID))]
    }
    // Of unknown outcome: its caller has left, and its worker may still bring the end.
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

  /// The end of a job.
  ///
  /// - Parameter reply: In protobuf encoding.
  mutating func final(_ result: WorkResult, _ reply: [UInt8], from peer: Peer, now: Instant) -> [Directive] {
    guard self.hear(peer, now) else { return [Self.unknownSession(peer)] }
    guard var job = self.jobs[result.jobID], job.accepts(result.leaseID),
      self.workers[peer]?.serves(job.record.service) == true
    else {
      return [.send(peer, Self.ack(result.jobID, result.leaseID, isDuplicate: true))]
    }
    // Its commit is under way, and the ACK comes after it.
    guard job.phase != .ending else { return [] }
    let isCurrent = result.leaseID == job.lease?.id
    if result.retryable, result.status.code != .ok {
      guard isCurrent else { return [.send(peer, Self.ack(result.jobID, result.leaseID, isDuplicate: true))] }
      let isCounted = !["DRAINING", "NO_CREDIT"].contains(result.status.reason)
      // Whoever gives a job back has no room, whatever was counted here, until it says that it has.
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
    let state = result.status.code == .ok ? JobRecord.State.done : .failed
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

  /// A session is over: what its worker has not ended is given to others at once.
  ///
  /// - Parameter isFaulty: Whether it did not leave in good order, so that its jobs count it as a loss.
  mutating func disconnect(from peer: Peer, isFaulty: Bool = false, now: Instant) -> [Directive] {
    guard let session = self.workers[peer] else { return [] }
    self.workers[peer] = nil
    var directives: [Directive] = []
    for job in self.jobs.values where job.lease?.instance == session.instance {
      directives += self.lose(job.record.id, isCounted: isFaulty, now)
    }
    return directives + self.dispatch(now)
  }

  /// A message could not be sent because the worker's connection is gone.
  mutating func unreachable(_ peer: Peer, now: Instant) {
    guard let session = self.workers[peer] else { return }
    self.workers[peer] = nil
    let until = now + self.timing.grace
    for job in self.jobs.values where job.lease?.instance == session.instance && job.phase == .leased {
      self.jobs[job.record.id]?.lease?.graceUntil = until
      self.wake(at: until)
    }
  }

  /// Whether the session is known; it is heard from then.
  mutating func hear(_ peer: Peer, _ now: Instant) -> Bool {
    guard self.workers[peer] != nil else { return false }
    self.workers[peer]?.heardAt = now
    return true
  }

  // MARK: - Commits and time

  /// A change that was asked for is on the disk.
  mutating func stored(_ id: String, _ stored: Stored, now: Instant) -> [Directive] {
    guard var job = self.jobs[id] else { return [] }
    switch stored {
    case .queued:
      return self.dispatch(now)
    case .lease(let leaseID):
      guard job.phase == .granting, let lease = job.lease, lease.id == leaseID else { return [] }
      guard let peer = self.workers.peer(of: lease.instance) else {
        // Gone before it was sent anything.
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
      // Of unknown outcome: its caller is told, and its worker may still bring the end.
      if state != .unknown { self.forget(job) }
      var directives: [Directive] = [.conclude(job.record)]
      if let peer { directives.append(.send(peer, Self.ack(id, leaseID, isDuplicate: false))) }
      return directives + self.dispatch(now)
    }
  }

  /// Does what time asks for.
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

  /// Why a job waits: for who asked for it, for a worker that serves it, for one with a free slot, or for its time.
  func waitsFor(_ id: String) -> String {
    guard let job = self.jobs[id], case .queued(let notBefore) = job.phase else { return "" }
    if !job.isClaimed { return "caller" }
    if !self.workers.isServed(job.record.service) { return "worker" }
    return notBefore > .now ? "backoff" : "credit"
  }
}
