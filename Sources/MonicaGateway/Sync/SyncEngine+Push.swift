internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension SyncEngine {
  /// The most changes that are sent before the next turn.
  private static let round = 32

  private typealias Answer = (entry: OutboxEntry, result: Result<PushReply, Failure>)

  /// Sends due changes, several at once, until none is due, another task wants the turn, or enough were sent.
  ///
  /// - Returns: True if more may be due.
  /// - Throws: The failure that stops all changes.
  func sendRound() async throws(Failure) -> Bool {
    // After a logout during the wait there is no account to send for.
    _ = try self.usedAccount()
    try self.checkGate()
    let first = try await self.beginNext()
    guard !first.isEmpty else { return false }
    let outcome = await withTaskGroup(of: Answer.self) { group -> Result<Bool, Failure> in
      var sent = first.count
      for entry in first { group.addTask { await (entry, self.send(entry)) } }
      var outcome = Result<Bool, Failure>.success(false)
      while let answer = await group.next() {
        do throws(Failure) {
          let goesOn = (try? outcome.get()) != nil && sent < Self.round && self.server.waiting == 0 && !Task.isCancelled
          let next = try await self.take(answer, goesOn: goesOn)
          sent += next.count
          for entry in next { group.addTask { await (entry, self.send(entry)) } }
          if !goesOn, case .success = outcome { outcome = .success(true) }
        } catch {
          // Changes in flight are awaited; a later attempt first searches for them.
          outcome = .failure(error)
        }
      }
      return outcome
    }
    let isMoreDue = try outcome.get()
    try self.checkGate()
    return isMoreDue
  }

  private func checkGate() throws(Failure) {
    if self.push.isExpired { throw .sessionExpired }
    if let refusal = self.push.gate.refusal(now: self.uptime()) { throw refusal }
  }

  /// Marks the next changes as in flight.
  private func beginNext() async throws(Failure) -> [OutboxEntry] {
    let (now, room, before) = (self.now(), self.push.room(now: self.uptime()), self.report)
    let hurries = self.isHurryWanted
    self.isHurryWanted = false
    let (entries, report) = try await self.write { transaction throws(Failure) -> ([OutboxEntry], SyncReport) in
      if hurries { try transaction.outbox.hurry(now: now) }
      let due = try transaction.outbox.due(now: now, limit: room)
      let entries = try transaction.outbox.begin(due.map(\.row), now: now)
      var report = before
      try transaction.publish(&report, now: now)
      return (entries, report)
    }
    self.report = report
    self.note(begun: entries)
    return entries
  }

  private func note(begun entries: [OutboxEntry]) {
    for entry in entries { self.push.begin(entry.row) }
    if !entries.isEmpty { FaultPoint.monicaPushBegun.pass() }
  }

  private func send(_ entry: OutboxEntry) async -> Result<PushReply, Failure> {
    guard let account = self.account else { return .failure(.cancelled) }
    var request = PushRequest()
    request.account = account
    request.knownOperation = entry.operation
    request.record = entry.record
    if let base = entry.base { request.base = base }
    request.lookFirst = entry.isUnsure
    request.takenIds = entry.takenIDs
    if let made = entry.madeAt { request.madeAt = .init(nanosecondsSince1970: made) }
    request.leftID = entry.leftID ?? 0
    if let first = entry.firstTriedAt { request.firstTriedAt = .init(nanosecondsSince1970: first) }
    do throws(Failure) {
      // The same key until the outcome is stored: if a worker sends, the restarted hub finds its result.
      let key = entry.attempt.map { "push-\($0)" } ?? ""
      let reply = try await self.remote.ask(request, CallContext(idempotencyKey: key))
      FaultPoint.monicaPushSent.pass()
      return .success(reply)
    } catch {
      return .failure(error)
    }
  }

  /// The nanoseconds that the server may still run a failed request; nil if its answer was final.
  ///
  /// A cancelled request has its own limit, because its answer was not awaited.
  private func busyFor(_ failure: Failure) -> Int64? {
    guard failure.leavesServerBusy else { return nil }
    return failure.code == .cancelled ? self.timeLimits.interrupted : self.timeLimits.running
  }

  /// Stores the outcome of a change, and marks the next ones as in flight in the same commit.
  private func take(_ answer: Answer, goesOn: Bool) async throws(Failure) -> [OutboxEntry] {
    let (now, uptime, entry) = (self.now(), self.uptime(), answer.entry)
    let verdict = self.push.end(
      entry.row, attempts: entry.attempts + 1, answer.result, now: uptime, jitter: self.jitter())
    var failure: Failure?
    if case .failure(let error) = answer.result { failure = error }
    let room = goesOn ? self.push.room(now: uptime) : 0
    let settling = Settling(
      entry: entry, verdict: verdict, failure: failure, now: now,
      busyUntil: failure.flatMap { self.busyFor($0) }.map { now + $0 })
    let before = self.report
    let (entries, report) = try await self.write { transaction throws(Failure) -> ([OutboxEntry], SyncReport) in
      try settling.store(in: transaction)
      var entries: [OutboxEntry] = []
      if room > 0 {
        let due = try transaction.outbox.due(now: now, limit: room)
        entries = try transaction.outbox.begin(due.map(\.row), now: now)
      }
      var report = before
      report.push(arrived: verdict.isArrival)
      try transaction.publish(&report, now: now)
      return (entries, report)
    }
    FaultPoint.monicaPushStored.pass()
    self.report = report
    self.note(begun: entries)
    self.tell()
    return entries
  }
}

/// The outcome of a sent change, for the store.
private struct Settling: Sendable {
  let entry: OutboxEntry
  let verdict: PushState.Verdict
  let failure: Failure?
  let now: Int64
  /// Until when the server may run the request; nil if it does not.
  let busyUntil: Int64?

  func store(in transaction: Transaction) throws(Failure) {
    let (row, now) = (self.entry.row, self.now)
    switch self.verdict {
    case .done where self.entry.operation == .delete:
      try transaction.outbox.deleted(row, now: now)
    case .done(let record):
      let rule = MergeRule(record, now: now)
      try transaction.outbox.arrived(row, server: record, now: now) { local, server throws(Failure) in
        rule.arrived(local, server)
      }
    case .changed(let record):
      let rule = MergeRule(record, now: now)
      try transaction.outbox.differs(row, server: record, now: now) { local, server throws(Failure) in
        rule.changed(local, server)
      }
    case .gone where self.entry.operation == .delete:
      try transaction.outbox.deleted(row, now: now)
    case .gone:
      try transaction.outbox.gone(row, now: now)
    case .stays:
      try transaction.outbox.stays(row)
    case .later(let wait, let isUnsure):
      try self.fail(in: transaction, next: now + wait, isUnsure: isUnsure || self.entry.isUnsure)
    case .postponed(let isUnsure):
      try self.fail(in: transaction, next: now, isUnsure: isUnsure || self.entry.isUnsure)
    case .refused(let isUnsure):
      try self.fail(in: transaction, next: nil, isUnsure: isUnsure && self.entry.isUnsure)
    }
  }

  private func fail(in transaction: Transaction, next: Int64?, isUnsure: Bool) throws(Failure) {
    try transaction.outbox.failed(
      self.entry.row, error: (self.failure ?? Self.noAnswer).status, nextAttemptAt: next, isUnsure: isUnsure,
      isOpen: self.failure?.leavesAttemptOpen ?? false, busyUntil: self.busyUntil, now: self.now)
  }

  private static let noAnswer = Failure(
    .unavailable, "MONICA_TROUBLE",
    "The record keeps changing on the server, or the server's answers lack it. kithd retries later.")
}

extension PushState.Verdict {
  /// Whether the server has the change now.
  fileprivate var isArrival: Bool {
    switch self {
    case .done: true
    case .changed, .gone, .stays, .later, .postponed, .refused: false
    }
  }
}
