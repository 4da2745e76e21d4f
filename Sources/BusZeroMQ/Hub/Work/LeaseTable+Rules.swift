internal import Bus
internal import KithMessages

/// How jobs are leased, lost and retried.
extension LeaseTable {
  /// Leases queued jobs while workers have free slots.
  mutating func dispatch(_ now: Instant) -> [Directive] {
    var directives: [Directive] = []
    for (method, var queue) in self.queues {
      var skipped: [String] = []
      while let session = self.workers.free(for: method), let id = queue.popFirst() {
        guard var job = self.jobs[id], case .queued(let notBefore) = job.phase else { continue }
        // The batches that the caller is still storing decide where the next attempt starts.
        guard notBefore <= now, job.isClaimed, job.received == job.record.batches else {
          skipped.append(id)
          if notBefore > now { self.wake(at: notBefore) }
          continue
        }
        self.workers[session.peer]?.credit -= 1
        directives.append(self.grant(&job, to: session, now))
        self.jobs[id] = job
      }
      queue = skipped.isEmpty ? queue : skipped[...] + queue
      self.queues[method] = queue.isEmpty ? nil : queue
    }
    return directives
  }

  /// Records that a caller waits for a job, so that it may be leased.
  mutating func claim(_ id: String, now: Instant) -> [Directive] {
    self.jobs[id]?.isClaimed = true
    return self.dispatch(now)
  }

  mutating func grant(_ job: inout LeasedJob, to session: WorkerSession, _ now: Instant) -> Directive {
    job.record.attempt += 1
    job.record.state = .leased
    job.record.worker = session.name
    job.record.instance = session.instance
    job.record.leaseID = self.makeID()
    job.lease = LeasedJob.Lease(
      id: job.record.leaseID, instance: session.instance, expiresAt: now + self.timing.lease, heardAt: now)
    job.phase = .granting
    self.jobsByLease[job.record.leaseID] = job.record.id
    return .store(job.record, .lease(job.record.leaseID))
  }

  /// Handles a job whose worker was lost: queues it again if its delivery rule allows.
  ///
  /// - Parameters:
  ///   - isCounted: Whether it counts towards the losses after which a job is dead.
  ///   - isRefused: Whether the worker returned the job because it had no free slot.
  mutating func lose(
    _ id: String, isCounted: Bool = true, isRefused: Bool = false, _ now: Instant
  ) -> [Directive] {
    guard var job = self.jobs[id], job.phase == .leased || job.phase == .granting, let lease = job.lease else {
      return []
    }
    let wasSent = job.phase == .leased && !isRefused
    if wasSent, job.isOnce { return self.leaveUnknown(&job) }
    job.endLease()
    if wasSent, isCounted { job.record.losses += 1 }
    let isBeyondResuming = job.received > 0 && (job.checkpoints[job.received] ?? job.record.checkpoint).isEmpty
    if job.record.losses >= self.timing.attempts || isBeyondResuming {
      if isBeyondResuming {
        job.record.status =
          Failure(
            .unavailable, "WORKER_LOST",
            "The worker was lost, and \(job.record.service) cannot continue. Start it again.",
            retryAfterMilliseconds: 1000
          ).status
      }
      return [self.end(&job, isBeyondResuming ? .failed : .dead)]
    }
    // The time since the worker was last heard counts as waited.
    let wait = Duration.nanoseconds(self.timing.backoff.wait(after: Int(job.record.losses)))
    var notBefore = wasSent && isCounted ? max(now, lease.heardAt + wait) : now
    // Otherwise a worker that miscounts its slots would get the job again at once.
    if isRefused { notBefore += .nanoseconds(self.timing.backoff.first) }
    job.phase = .queued(notBefore: notBefore)
    job.record.state = .queued
    self.jobs[id] = job
    self.enqueue(id)
    self.wake(at: notBefore)
    return [.store(job.record, .queued)]
  }

  /// Ends a job.
  ///
  /// - Parameters:
  ///   - peer: The worker that waits for an ACK, with its lease.
  mutating func end(
    _ job: inout LeasedJob, _ state: JobState, by peer: Peer? = nil, _ leaseID: String = ""
  ) -> Directive {
    // Without a worker for the method no dispatch would remove the job from its queue.
    if case .queued = job.phase { self.queues[job.record.service]?.removeAll { $0 == job.record.id } }
    job.endLease()
    job.phase = .ending
    job.record.state = state
    self.jobs[job.record.id] = job
    return .store(job.record, .end(state, peer, lease: leaseID))
  }

  mutating func leaveUnknown(_ job: inout LeasedJob) -> [Directive] {
    job.lease = nil
    job.phase = .unknown
    job.record.state = .unknown
    self.jobs[job.record.id] = job
    return [.store(job.record, .end(job.record.state, nil, lease: ""))]
  }

  mutating func renew(_ job: inout LeasedJob, _ now: Instant) {
    job.lease?.expiresAt = now + self.timing.lease
    job.lease?.heardAt = now
    job.lease?.graceUntil = nil
    self.wake(at: now + self.timing.lease)
  }

  mutating func enqueue(_ id: String) {
    guard let job = self.jobs[id] else { return }
    self.queues[job.record.service, default: []].append(id)
  }

  mutating func forget(_ job: LeasedJob) {
    for lease in job.past.keys { self.jobsByLease[lease] = nil }
    self.jobsByLease[job.record.leaseID] = nil
    self.jobs[job.record.id] = nil
  }

  mutating func wake(at moment: Instant) { self.wakeAt = self.wakeAt.map { min($0, moment) } ?? moment }

  // MARK: - Bodies

  /// Whether to accept a batch: it is from the worker that has the lease, the next one, and within the window.
  func wants(_ partial: Partial) -> Bool {
    guard let job = self.jobs[partial.jobID], job.lease?.id == partial.leaseID, job.phase == .leased else {
      return false
    }
    return partial.batchSeq == job.received + 1 && job.received - job.record.batches < self.timing.window
  }

  /// Whether to accept an end: no other end was reported.
  func wants(_ result: WorkResult) -> Bool {
    guard let job = self.jobs[result.jobID] else { return false }
    return job.phase != .ending && job.accepts(result.leaseID)
  }
}
