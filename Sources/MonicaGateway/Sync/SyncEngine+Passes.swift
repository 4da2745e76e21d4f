internal import Bus
internal import KithMessages
internal import Logging
internal import Storage
internal import SwiftProtobuf

/// Passes, which run one after another.
extension SyncEngine {
  /// How long after its failure a pass may be continued, in nanoseconds.
  private static let resumption: Int64 = 3600 * 1_000_000_000
  /// How long a caller of a pass is kept waiting for requests that the server may still be running, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000
  /// The interval between checks for other due changes during that wait, in nanoseconds.
  private static let breath: Int64 = 250_000_000

  /// Starts the next pass, unless one is running.
  func go() {
    // An announcement that is not due yet is made when the alarm rings.
    let announces = self.isAnnouncementOwed && self.report.isDue(now: self.now())
    guard self.loop == nil, !self.isStopped, self.holds == 0, self.agenda.next != nil || announces else { return }
    self.loop = Task {
      await self.run()
      self.loop = nil
      self.wake()
    }
  }

  private func run() async {
    await self.announce()
    while !self.isStopped, self.holds == 0, let next = self.agenda.begin() {
      let pass = Task { await self.perform(next) }
      self.pass = pass
      let result = await pass.value
      self.pass = nil
      for waiter in self.agenda.end() {
        self.resume(waiter, self.isStopped && result.isIdle ? .failure(Self.stopping) : result)
      }
    }
  }

  private func perform(_ pass: SyncAgenda.Pass) async -> Result<SyncStatus, Failure> {
    self.refusal = nil
    self.isRereadWanted = false
    do throws(Failure) {
      try await self.begin(pass)
      var failure: Failure?
      do throws(Failure) {
        try await self.work()
      } catch {
        failure = error
        self.agenda.closeFirstReading()
      }
      try await self.end(pass, failure)
      if let refusal { throw refusal }
    } catch {
      self.logger.warning("pass could not be stored", metadata: ["reason": "\(error.reason)"])
      self.push.gate.close(error, now: self.uptime(), jitter: self.jitter())
      self.schedule.end(.failed(retryAfter: nil), jitter: self.jitter(), now: self.uptime())
      return .failure(error)
    }
    return .success(self.report.status)
  }

  private func begin(_ pass: SyncAgenda.Pass) async throws(Failure) {
    let (now, before) = (self.now(), self.report)
    let (hurries, busyUntil) = (!pass.waiters.isEmpty, now + self.timeLimits.running)
    let (report, pull, names) = try await self.write {
      transaction throws(Failure) -> (SyncReport, PullState, KnownNames) in
      // No change is in flight now. Those marked so belong to a pass whose outcomes could not be stored.
      try transaction.outbox.settleInterrupted(busyUntil: busyUntil)
      var report = before
      report.begin(runID: UUIDv7.make().text, now: now)
      if hurries { try transaction.outbox.hurry(now: now) }
      report.expect(try transaction.outbox.counts().pending)
      try transaction.publish(&report, isFinal: true, now: now)
      return (report, PullState(stored: try transaction.accounts.pullState()), try KnownNames(transaction))
    }
    self.report = report
    self.names = names
    guard let options = pass.reading else {
      self.plan = nil
      return
    }
    if let suspended, now - suspended.startedAt < Self.resumption, suspended.options.covers(options) {
      self.plan = suspended
      self.plan?.resume()
    } else {
      let plan = PullPlan(pull, options, now: now)
      self.plan = plan
      if plan.isFirst {
        self.agenda.openFirstReading()
        let isAwaited = self.agenda.current?.waiters.isEmpty == false
        self.isPushWanted = self.isPushWanted || isAwaited
        self.isHurryWanted = self.isHurryWanted || isAwaited
      }
    }
    self.suspended = nil
  }

  /// Sends due changes and reads. For a caller that waits, it also waits briefly for changes that the server may still
  /// be running, and sends them.
  private func work() async throws(Failure) {
    var mayBeDue = self.plan?.next != nil
    try await self.takeTurns()
    let end = self.uptime() + Self.patience
    while self.agenda.current?.waiters.isEmpty == false, let rest = try await self.heldFor(until: end) {
      do { try await self.sleep(min(rest, Self.breath)) } catch { throw .cancelled }
      mayBeDue = !self.isPushWanted && rest > Self.breath
      if !mayBeDue { try await self.takeTurns() }
    }
    // Reading takes a while, and on a busy machine the last breath may have taken longer than the rest.
    if mayBeDue { try await self.takeTurns() }
    // Of a caller that joined while this was looked up.
    while self.isRereadWanted { try await self.takeTurns() }
    self.agenda.close()
    self.agenda.closeFirstReading()
  }

  /// The nanoseconds that the server may still run the first of the changes that wait for nothing else; nil if there is
  /// none, or if it would take longer.
  ///
  /// - Parameter end: The end of the longest wait, by ``uptime``.
  private func heldFor(until end: Int64) async throws(Failure) -> Int64? {
    let (now, patience) = (self.now(), end - self.uptime())
    guard patience > 0 else { return nil }
    do throws(Failure) {
      return try await self.storage.read { view throws(Failure) in
        try view.outbox.heldUntil(now: now, within: patience).map { $0 - now }
      }
    } catch {
      if error.code != .cancelled { self.refusal = error }
      throw error
    }
  }

  /// Sends and reads in turns, so that neither waits for the end of the other.
  private func takeTurns() async throws(Failure) {
    var isMoreDue = true
    while isMoreDue || self.isPushWanted || self.isRereadWanted || self.plan?.next != nil {
      guard !Task.isCancelled else { throw .cancelled }
      if self.isRereadWanted {
        self.isRereadWanted = false
        if self.plan?.readAgain() ?? false { self.agenda.closeFirstReading() }
      }
      if isMoreDue || self.isPushWanted {
        self.isPushWanted = false
        isMoreDue = try await self.server.withLock { () async throws(Failure) in try await self.sendRound() }
      }
      if let step = self.plan?.next {
        self.agenda.close()
        try await self.server.withLock { () async throws(Failure) in try await self.perform(step) }
      }
    }
  }

  private func end(_ pass: SyncAgenda.Pass, _ failure: Failure?) async throws(Failure) {
    let (now, uptime) = (self.now(), self.uptime())
    let fault = failure.map(RemoteFault.init)
    switch fault {
    case .session:
      self.account = nil
    case .everything, .trouble, .forbidden:
      if let failure, !self.push.gate.isClosed(now: uptime), self.refusal == nil {
        self.push.gate.close(failure, now: uptime, jitter: self.jitter())
      }
    case .interrupted, .refusal, nil: break
    }
    // A pass that has finished reading is not resumed: the next one reads again.
    if failure != nil, fault != .session, self.plan?.next != nil { self.suspended = self.plan }
    if self.plan != nil || fault == .session {
      self.schedule.end(SyncSchedule.Outcome(failure, fault), jitter: self.jitter(), now: uptime)
    }
    let read = self.plan
    self.plan = nil
    // Converted to the time of day, which people see.
    let gate = self.push.gate.until.map { now + $0 - uptime }
    let scheduled = failure == nil ? nil : self.schedule.due.map { now + $0 - uptime }
    let before = self.report
    let (report, nextDue) = try await self.storage.write(cause: pass.cause) {
      transaction throws(Failure) -> (SyncReport, Int64?) in
      var report = before
      switch fault {
      case .session:
        try transaction.accounts.setState(.expired)
        report.fail(.sessionExpired, now: now)
      case .interrupted: report.stop(now: now)
      case .everything, .trouble, .forbidden, .refusal: report.fail(failure ?? .cancelled, now: now)
      case nil:
        report.complete(now: now)
        if let read { try transaction.accounts.setLastPull(now, isComplete: read.isComplete) }
      }
      let due = fault == .session ? nil : try transaction.outbox.nextDue(now: now)
      report.set(nextAttempt: [due.map { max($0, gate ?? $0) }, scheduled].compactMap(\.self).min())
      try transaction.publish(&report, isFinal: true, now: now)
      return (report, due)
    }
    self.report = report
    self.nextDue = nextDue.map { uptime + $0 - now }
    self.logger.info(
      "pass ended",
      metadata: [
        "state": "\(self.report.status.state)", "reason": "\(self.report.status.error.reason)",
        "pushed": "\(self.report.status.pushed)", "added": "\(self.report.status.added)",
        "updated": "\(self.report.status.updated)", "deleted": "\(self.report.status.deleted)",
      ])
    self.tell()
  }

  /// Publishes how many changes wait, while nothing can be sent.
  private func announce() async {
    guard self.isAnnouncementOwed, self.report.isDue(now: self.now()) else { return }
    self.isAnnouncementOwed = false
    let (now, before) = (self.now(), self.report)
    // If the store refuses this, the next pass publishes it.
    try? await self.storage.write { transaction throws(Failure) in
      var report = before
      try transaction.publish(&report, isFinal: true, now: now)
    }
    self.report.noteReport(now: now)
  }

  /// Sets the alarm for the next due time.
  func arm() {
    guard !self.isStopped else { return }
    let now = self.uptime()
    var due: [Int64] = []
    if self.account != nil {
      if let scheduled = self.schedule.due { due.append(scheduled) }
      if let nextDue { due.append(max(nextDue, self.push.gate.until ?? nextDue)) }
    }
    if self.isAnnouncementOwed { due.append(now + SyncReport.interval) }
    self.alarm?.set(self.loop == nil ? due.min().map { .nanoseconds(max(0, $0 - now)) } : nil)
  }
}

extension Result<SyncStatus, Failure> {
  fileprivate var isIdle: Bool { (try? self.get())?.state == .idle }
}

extension SyncSchedule.Outcome {
  /// What the end of a pass means for the next one.
  fileprivate init(_ failure: Failure?, _ fault: RemoteFault?) {
    switch fault {
    case nil: self = .completed
    case .session: self = .needsPerson
    default:
      let milliseconds = Int64(failure?.status.retryAfterMs ?? 0)
      self = .failed(retryAfter: milliseconds > 0 ? milliseconds * 1_000_000 : nil)
    }
  }
}

extension Transaction {
  /// Stores the state of the sync and tells subscribers, if a report is due.
  func publish(_ report: inout SyncReport, isFinal: Bool = false, now: Int64) throws(Failure) {
    guard report.isDue(now: now) || isFinal else { return }
    report.noteReport(now: now)
    report.set(try self.outbox.counts())
    try self.accounts.setStatus(report.status)
    var event = Event()
    event.sync = report.status
    try self.emit(event, on: "sync", key: SyncReport.key)
  }
}
