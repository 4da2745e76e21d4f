public import Bus
internal import EventLoop
public import KithMessages
internal import Logging

/// What the hub itself asks of the plane.
extension WorkPlane {
  /// Has somebody told what becomes of a job that is stored.
  ///
  /// - Parameter isNew: Whether it was stored for this caller.
  func attach(_ record: JobRecord, _ caller: JobCaller, isNew: Bool) {
    guard !self.isClosing else {
      return caller.end(.failure(Failure(.unavailable, "SHUTTING_DOWN", "kithd is stopping.")))
    }
    // The one before was given up: a call with the same key has taken its place.
    self.callers.updateValue(caller, forKey: record.id)?.end(.failure(.cancelled))
    if self.table.jobs[record.id] == nil {
      guard isNew else {
        // It has ended since it was found: the same call finds its end.
        self.callers[record.id] = nil
        return caller.end(
          .failure(
            Failure(.unavailable, "WORKER_LOST", "The job has just ended. Ask again.", retryAfterMilliseconds: 100)))
      }
      self.perform(self.table.add(record, isOnce: self.isOnce(record), now: .now))
    }
    self.arm()
    guard !self.table.workers.isServed(record.service) else { return }
    // Workers come within seconds of a hub's start.
    self.schedule(at: .now + .seconds(3)) { $0.announceUnserved() }
  }

  /// Ends the job of a caller that has left.
  ///
  /// - Returns: What the job waited for, as ``waitsFor(_:)`` has it. Told by the same step, lest it is sent to a worker in between.
  func release(_ id: String, _ token: String) -> String {
    let waitedFor = self.table.waitsFor(id)
    guard self.callers[id]?.token == token else { return waitedFor }
    self.callers[id] = nil
    guard !self.isClosing else { return waitedFor }
    self.perform(self.table.cancel(id, "nobody waits for it", now: .now))
    self.arm()
    return waitedFor
  }

  /// Gives a job that a person wants tried again to workers.
  public func retry(_ record: JobRecord) {
    self.table.forget(record.id)
    self.perform(self.table.add(record, isOnce: self.isOnce(record), now: .now))
    self.arm()
  }

  /// Ends a job that a person does not want.
  public func cancel(_ id: String) {
    self.perform(self.table.cancel(id, "cancelled by a person", now: .now))
    self.arm()
  }

  /// Ends what waits since the start and nobody has come back for.
  func dropUnwanted() {
    for job in self.table.jobs.values {
      guard case .queued = job.phase, self.callers[job.record.id] == nil, job.record.attempt == 0 || !job.record.isKept
      else { continue }
      self.perform(self.table.cancel(job.record.id, "nobody waits for it", now: .now))
    }
    self.arm()
  }

  func taken(_ id: String, batch: UInt32) {
    self.perform(self.table.taken(id, batch: batch, now: .now))
    self.arm()
  }

  private func isOnce(_ record: JobRecord) -> Bool { self.codecs[record.service]?.method.delivery == .atMostOnce }

  // MARK: - What it tells

  /// Why a job waits; empty when it does not.
  public func waitsFor(_ id: String) -> String { self.table.waitsFor(id) }

  /// Adds to a description what is known only here.
  public func describe(_ info: inout JobInfo) {
    info.waitsFor = self.table.waitsFor(info.jobID)
    guard let job = self.table.jobs[info.jobID] else { return }
    info.fraction = job.progress.fraction
    info.note = job.progress.note
    if case .queued(let notBefore) = job.phase, notBefore > .now {
      let wait = notBefore - ContinuousClock.now
      info.notBefore = .init(nanosecondsSince1970: WallClock.nanoseconds() + Int64(wait / .nanoseconds(1)))
    }
  }

  /// Workers, jobs, and which of the placed services nobody serves.
  ///
  /// - Parameter placed: The names of the services that wait for workers.
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
      info.state =
        session.isDraining
        ? "draining" : session.heardAt + self.table.timing.heartbeat * 2 < now ? "silent" : "ready"
      info.software = session.software
      info.since = .init(nanosecondsSince1970: Self.time(of: session.since, now))
      info.heardAt = .init(nanosecondsSince1970: Self.time(of: session.heardAt, now))
      return info
    }
    for job in self.table.jobs.values {
      if case .queued = job.phase { status.queued += 1 } else if job.lease != nil { status.leased += 1 }
    }
    status.unserved = placed.filter { service in
      !self.table.workers.sessions.values.contains { session in
        !session.isDraining && session.services.contains { $0.prefix { $0 != "/" } == service }
      }
    }
    return status
  }

  /// A moment of before as a time of day, in nanoseconds since 1970.
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
