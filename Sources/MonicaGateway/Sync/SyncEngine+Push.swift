internal import Bus
internal import KithMessages
internal import Storage
internal import SwiftProtobuf

extension SyncEngine {
  /// Changes that are sent before others have their turn.
  private static let round = 32

  private typealias Answer = (entry: OutboxEntry, result: Result<PushReply, Failure>)

  /// Sends what is due, a few at once, until nothing is due, somebody else wants a turn, or enough was sent for now.
  ///
  /// - Returns: Whether more may be due.
  /// - Throws: What keeps everything from being sent.
  func sendRound() async throws(Failure) -> Bool {
    // A pass that waited while somebody logged out has nobody to send for.
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
          // What is under way is waited for, and looked for first when it goes again.
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

  /// Notes the next changes as under way.
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
    request.operation = entry.operation.rawValue
    request.record = entry.record
    if let base = entry.base { request.base = base }
    request.lookFirst = entry.isUnsure
    if let first = entry.firstTriedAt { request.firstTriedAt = .init(nanosecondsSince1970: first) }
    do throws(Failure) {
      // The same until its outcome is stored: where a worker sends, a restart finds what it did.
      let key = entry.attempt.map { "push-\($0)" } ?? ""
      let reply = try await self.remote.ask(request, CallContext(idempotencyKey: key))
      FaultPoint.monicaPushSent.pass()
      return .success(reply)
    } catch {
      return .failure(error)
    }
  }

  /// For how many nanoseconds the server may still be at a request that failed; nil = its answer was the end.
  ///
  /// Of what was given up nobody heard anything from that moment on, where a lost answer was waited for.
  private func busyFor(_ failure: Failure) -> Int64? {
    guard failure.leavesServerBusy else { return nil }
    return failure.code == .cancelled ? self.timeLimits.interrupted : self.timeLimits.running
  }

  /// Stores what became of a change, and notes the next ones as under way in the same commit.
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

/// What the store is told of a change that was sent.
private struct Settling: Sendable {
  let entry: OutboxEntry
  let verdict: PushState.Verdict
  let failure: Failure?
  let now: Int64
  /// Until when the server may be at it; nil = it is not.
  let busyUntil: Int64?

  func store(in transaction: Transaction) throws(Failure) {
    let (row, now) = (self.entry.row, self.now)
    switch self.verdict {
    case .done where self.entry.operation == .delete:
      try transaction.outbox.deleted(row, now: now)
    case .done(let record):
      let rule = MergeRule(record)
      try transaction.outbox.arrived(row, server: record, now: now) { local, server throws(Failure) in
        rule.arrived(local, server)
      }
    case .changed(let record):
      let rule = MergeRule(record)
      try transaction.outbox.differs(row, server: record, now: now) { local, server throws(Failure) in
        rule.changed(local, server)
      }
    case .gone where self.entry.operation == .delete:
      try transaction.outbox.deleted(row, now: now)
    case .gone:
      try transaction.outbox.gone(row, now: now)
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
    case .changed, .gone, .later, .postponed, .refused: false
    }
  }
}
