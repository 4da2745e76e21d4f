public import Bus
internal import EventLoop
public import KithMessages
internal import Logging

/// The plane's interface for the hub.
extension WorkPlane {
  /// What happens to a job whose caller leaves.
  enum Departure: Sendable {
    /// It ends; what it waited for, as in ``waitsFor(_:)``, and whether a worker ever got it.
    case ended(waitedFor: JobWait?, wasGiven: Bool)
    /// It continues: the hub stops, and the next process restores the job.
    case goesOn
  }

  static let shuttingDown = Failure(
    .unavailable, "SHUTTING_DOWN", "kithd is stopping.", retryAfterMilliseconds: 1000)

  /// Attaches a caller to a stored job.
  ///
  /// - Parameter isNew: Whether the job was created for this caller.
  func attach(_ record: JobRecord, _ caller: JobCaller, isNew: Bool) {
    guard !self.isClosing else { return caller.end(.failure(Self.shuttingDown)) }
    // A new call with the same key replaces the previous caller.
    self.callers.updateValue(caller, forKey: record.id)?.end(.failure(.cancelled))
    if self.table.jobs[record.id] == nil {
      guard isNew || self.unclaimed.removeValue(forKey: record.id) != nil else {
        // The job ended after the caller found it.
        self.callers[record.id] = nil
        caller.updates.yield(.over)
        return caller.updates.finish()
      }
      self.perform(self.table.add(record, isOnce: self.isOnce(record), now: .now))
    } else {
      self.perform(self.table.claim(record.id, now: .now))
    }
    self.arm()
    guard !self.table.workers.isServed(record.service) else { return }
    // Workers connect within seconds of a hub's start.
    self.schedule(at: .now + .seconds(3)) { $0.announceUnserved() }
  }

  /// Handles a caller that has left, and cancels its job.
  ///
  /// - Returns: What happens to the job, determined in the same step, so that the job is not leased in between.
  func release(_ id: String, _ token: String) -> Departure {
    let wasGiven = self.table.jobs[id].map { $0.record.attempt > 0 } ?? true
    let departure = Departure.ended(waitedFor: self.table.waitsFor(id), wasGiven: wasGiven)
    guard self.callers[id]?.token == token else { return departure }
    self.callers[id] = nil
    guard !self.isClosing else { return .goesOn }
    self.perform(self.table.cancel(id, "nobody waits for it", now: .now))
    self.arm()
    return departure
  }

  /// Queues a dead job that a person retries. It is leased when its caller returns, because only the caller has the inputs
  /// of its command.
  public func retry(_ record: JobRecord) {
    // A replayed retry may find the job already leased.
    guard self.table.jobs[record.id] == nil else { return }
    self.unclaimed[record.id] = record
  }

  /// Cancels a job for a person. A job that waits for its caller stays until it is stored as cancelled; see
  /// ``cancelled(_:)``.
  ///
  /// - Returns: The state after the cancellation; nil if no worker could have the job.
  public func cancel(_ id: String) -> JobState? {
    self.perform(self.table.cancel(id, "cancelled by a person", now: .now))
    self.arm()
    return self.table.jobs[id]?.record.state
  }

  /// Removes a job that is stored as cancelled, also if its caller has returned in the meantime.
  public func cancelled(_ id: String) {
    self.unclaimed[id] = nil
    _ = self.cancel(id)
  }

  /// Cancels jobs without callers: those that are not started, and those whose batches no caller would store.
  ///
  /// A job is cancelled only at the second search, because callers return after a pause.
  func dropUnwanted() {
    let alone = self.table.jobs.values.filter { job in
      guard self.callers[job.record.id] == nil else { return false }
      if case .queued = job.phase { return true }
      return job.lease != nil && self.codecs[job.record.service]?.batch != nil
    }
    let ids = Set(alone.map(\.record.id)).union(self.unclaimed.keys)
    for id in ids.intersection(self.alone) {
      if let record = self.unclaimed.removeValue(forKey: id) {
        self.forsake(record)
      } else {
        self.perform(self.table.cancel(id, "nobody waits for it", now: .now))
      }
    }
    self.alone = ids
    self.arm()
    self.schedule(at: .now + Self.orphanInterval) { $0.dropUnwanted() }
  }

  /// Removes jobs that the store has deleted: those of unknown outcome whose end is no longer wanted.
  public nonisolated func forget(_ jobs: [String]) {
    guard !jobs.isEmpty else { return }
    self.post { plane in
      for id in jobs { plane.table.forget(id) }
    }
  }

  func taken(_ id: String, batch: UInt32) {
    self.perform(self.table.taken(id, batch: batch, now: .now))
    self.arm()
  }

  private func isOnce(_ record: JobRecord) -> Bool { self.codecs[record.service]?.method.delivery == .atMostOnce }

  // MARK: - Queries

  /// The client's command that waits for a job; nil if there is none.
  public func command(of id: String) -> CommandID? { self.callers[id]?.command }

  /// What a queued job waits for; empty if it is not queued.
  public func waitsFor(_ id: String) -> JobWait? { self.unclaimed[id] == nil ? self.table.waitsFor(id) : .caller }

  /// Adds the state that only this plane knows to a description of a job.
  public func describe(_ info: inout JobInfo) {
    info.knownWaitsFor = self.waitsFor(info.jobID)
    guard let job = self.table.jobs[info.jobID] else { return }
    info.fraction = job.progress.fraction
    info.note = job.progress.note
    if case .queued(let notBefore) = job.phase, notBefore > .now {
      let wait = notBefore - ContinuousClock.now
      info.notBefore = .init(nanosecondsSince1970: WallClock.nanoseconds() + Int64(wait / .nanoseconds(1)))
    }
  }

  /// The workers, the numbers of jobs, and the placed services without a worker.
  ///
  /// - Parameter placed: The names of the services that are placed on workers.
  public func status(placed: [String]) -> WorkStatus {
    var status = WorkStatus()
    let now = ContinuousClock.now
    status.workers = self.table.workers.sessions.values.sorted { $0.name < $1.name }.map { session in
      var info = WorkerInfo()
      info.name = session.name
      info.principal = session.principal
      info.services = session.services
      info.leases = UInt32(self.table.jobs.values.count { $0.lease?.instance == session.instance })
      info.credit = session.credit
      info.knownState =
        session.isDraining
        ? .draining : session.heardAt + self.table.timing.heartbeat * 2 < now ? .silent : .ready
      info.software = session.software
      info.since = .init(nanosecondsSince1970: Self.time(of: session.since, now))
      info.heardAt = .init(nanosecondsSince1970: Self.time(of: session.heardAt, now))
      return info
    }
    for job in self.table.jobs.values {
      if case .queued = job.phase { status.queued += 1 } else if job.lease != nil { status.leased += 1 }
    }
    status.queued += UInt32(self.unclaimed.count)
    status.unserved = placed.filter { service in
      !self.table.workers.sessions.values.contains { session in
        !session.isDraining && session.services.contains { $0.prefix { $0 != "/" } == service }
      }
    }
    return status
  }

  /// A past instant as a time of day, in nanoseconds since 1970.
  private static func time(of instant: ContinuousClock.Instant, _ now: ContinuousClock.Instant) -> Int64 {
    WallClock.nanoseconds() - Int64((now - instant) / .nanoseconds(1))
  }

  private func announceUnserved() {
    for job in self.table.jobs.values {
      let service = job.record.serviceName
      guard case .queued = job.phase, !self.table.workers.isServed(job.record.service),
        self.unserved.insert(service).inserted
      else { continue }
      self.logger.warning("jobs wait for a worker", metadata: ["service": "\(service)"])
      Task { [store] in await store.announce(service, isServed: false) }
    }
  }

  func announceServed() {
    for service in self.unserved where self.table.workers.isServed(service + "/") || self.isServedInPart(service) {
      self.unserved.remove(service)
      Task { [store] in await store.announce(service, isServed: true) }
    }
  }

  private func isServedInPart(_ service: String) -> Bool {
    self.table.workers.sessions.values.contains { $0.services.contains { $0.hasPrefix(service) } }
  }
}
