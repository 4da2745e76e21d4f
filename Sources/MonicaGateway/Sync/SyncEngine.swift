public import Bus
internal import KithMessages
public import Logging
public import Secrets
public import Storage

/// Keeps what is stored in step with the account on the Monica server: sends what waits, reads what changed.
///
/// One thing after another is asked of the server, but for changes, of which a few are under way at once. Each page and each
/// answer is one commit, and what is still to do follows from the store: after a crash it goes on where it stopped, and looks
/// for what was under way before it sends that again.
public actor SyncEngine {
  let storage: StorageActor
  let remote: any BatchPort & Port
  let secrets: any SecretStore
  let now: @Sendable () -> Int64
  let uptime: @Sendable () -> Int64
  let timeLimits: (running: Int64, interrupted: Int64)
  let sleep: @Sendable (Int64) async throws -> Void
  let jitter: @Sendable () -> Double
  let logger: Logger
  let alarm: SyncAlarm?

  /// The account in use, as the remote half is told; nil = nobody is logged in.
  var account: MonicaAccount?
  var push = PushState()
  var report = SyncReport(SyncStatus())
  /// What the pass that runs reads; nil = nothing.
  var plan: PullPlan?
  /// Names that the catalogs and the tags had when the pass began, in lower case.
  var names = KnownNames()
  /// When the picture of each person of the account was last asked for, by ``uptime``.
  var picturesAskedAt: [String: Int64] = [:]

  var agenda = SyncAgenda()
  var schedule = SyncSchedule(interval: nil, startsNow: false, now: 0)
  private var interval: Int64?
  private var waiters: [UUIDv7: CheckedContinuation<Result<SyncStatus, Failure>, Never>] = [:]
  private var sinks: [UUIDv7: @Sendable (Progress) -> Void] = [:]
  /// What a pass that failed had still to read.
  var suspended: PullPlan?
  /// A task holds this lock while it sends requests to the Monica server.
  let server = AsyncLock()
  /// A task holds this lock while it checks the token of a login.
  let logins = AsyncLock()
  /// When each person of the account was last read whole, in nanoseconds since 1970.
  var refreshedAt: [String: Int64] = [:]
  var loop: Task<Void, Never>?
  var pass: Task<Result<SyncStatus, Failure>, Never>?
  /// Something was written that may be due.
  var isPushWanted = false
  /// Somebody joined the pass that runs, for whom what waits for a moment goes at once.
  var isHurryWanted = false
  var isAnnouncementOwed = false
  /// When the first of what waits may go, as of the last pass, by ``uptime``.
  var nextDue: Int64?
  var holds = 0
  var isStopped = false
  /// Why the store refused a write: that is no failure of the server.
  var refusal: Failure?

  /// Makes an engine that does nothing before ``start(startsNow:interval:)``.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - remote: The way to `kith.v1.MonicaRemote`.
  ///   - secrets: Where the tokens of accounts are kept.
  ///   - alarm: Wakes it when something is due; nil = whoever made it calls ``wake()``.
  ///   - timeLimit: For how many nanoseconds the server may still work on a request whose answer was lost, or that this
  ///     side gave up; nil or 0 = not at all, and for five seconds on what was given up.
  ///   - now: Gives the time of day in nanoseconds since 1970: what is stored.
  ///   - uptime: Gives the nanoseconds of a clock that never goes back: what is waited by.
  ///   - sleep: Waits for so many nanoseconds.
  ///   - jitter: Gives chances, 0 to 1.
  public init(
    storage: StorageActor, remote: any BatchPort & Port, secrets: any SecretStore, alarm: SyncAlarm?, logger: Logger,
    timeLimit: Int64? = nil, now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds,
    uptime: @escaping @Sendable () -> Int64 = SyncEngine.uptime,
    sleep: @escaping @Sendable (Int64) async throws -> Void = { try await Task.sleep(for: .nanoseconds($0)) },
    jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) }
  ) {
    self.storage = storage
    self.remote = remote
    self.secrets = secrets
    self.alarm = alarm
    let running = timeLimit ?? 0
    self.timeLimits = (running, running > 0 ? running : Self.shortestInterruption)
    self.now = now
    self.uptime = uptime
    self.sleep = sleep
    self.jitter = jitter
    var logger = logger
    logger[metadataKey: "source"] = "monica"
    self.logger = logger
  }

  /// Nanoseconds for which even a quick server may work on a request that nobody waits for any more.
  private static let shortestInterruption: Int64 = 5_000_000_000
  private static let origin = ContinuousClock.now

  /// Nanoseconds of the monotonic clock since it was first asked.
  public static func uptime() -> Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - Self.origin).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  // MARK: - Life

  /// Takes up what the last process left, and begins to keep time.
  ///
  /// - Parameters:
  ///   - startsNow: Whether there is a pass at once.
  ///   - interval: Nanoseconds between passes; nil = only on command.
  /// - Throws: A failure of the store.
  public func start(startsNow: Bool, interval: Int64?) async throws(Failure) {
    self.interval = interval
    let busyUntil = self.now() + self.timeLimits.interrupted
    try await self.storage.write { transaction throws(Failure) in
      try transaction.outbox.settleInterrupted(busyUntil: busyUntil)
    }
    // A keyring may take its time. Nobody waits for it but the next login.
    Task { await self.forgetCandidate() }
    await self.alarm?.connect { [weak self] in
      guard let self else { return }
      Task { await self.wake() }
    }
    try await self.load(startsNow: startsNow)
    self.wake()
  }

  /// Begins nothing any more, gives up what runs and waits for its end.
  public func stop() async {
    self.isStopped = true
    self.pass?.cancel()
    await self.loop?.value
    self.alarm?.set(nil)
    for waiter in Array(self.waiters.keys) { self.resume(waiter, .failure(Self.stopping)) }
  }

  /// Does something that another account may be in use after: nothing is asked of the server meanwhile.
  func hold<Value: Sendable>(
    _ work: @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    self.holds += 1
    self.pass?.cancel()
    await self.loop?.value
    let result: Result<Value, Failure>
    do throws(Failure) {
      result = .success(
        try await self.server.withLock { () async throws(Failure) in
          let value = try await work()
          try await self.load(startsNow: true)
          return value
        })
    } catch {
      result = .failure(error)
    }
    self.holds -= 1
    self.wake()
    return try result.get()
  }

  /// Reads which account is in use and where its sync stands.
  private func load(startsNow: Bool) async throws(Failure) {
    let (now, uptime) = (self.now(), self.uptime())
    let (account, status, due) = try await self.storage.write {
      transaction throws(Failure) -> (AccountRecord, SyncStatus, Int64?) in
      var report = SyncReport(try transaction.accounts.status() ?? SyncStatus())
      if report.status.state == .syncing {
        // The process that ran it is no more.
        report.stop(now: now)
        try transaction.publish(&report, isFinal: true, now: now)
      }
      return (try transaction.accounts.current(), report.status, try transaction.outbox.nextDue(now: now))
    }
    self.account = account.state == "logged_in" ? MonicaAccount(account) : nil
    self.report = SyncReport(status)
    self.nextDue = due.map { uptime + $0 - now }
    self.push = PushState()
    self.suspended = nil
    self.refreshedAt = [:]
    self.picturesAskedAt = [:]
    self.schedule = SyncSchedule(
      interval: self.interval, startsNow: startsNow && self.account != nil, now: uptime)
  }

  // MARK: - Asking for passes

  /// Something was written: it is sent when it can be.
  public nonisolated func nudge() { Task { await self.takeNudge() } }

  private func takeNudge() {
    self.isPushWanted = true
    let isWaiting = self.account == nil || self.push.gate.isClosed(now: self.uptime())
    if isWaiting { self.isAnnouncementOwed = true }
    self.wake()
  }

  /// Begins what is due. Called by the alarm.
  func wake() {
    let now = self.uptime()
    if self.account != nil, self.schedule.due.map({ $0 <= now }) ?? false {
      self.schedule.begin()
      self.agenda.ask(nil, reading: PullPlan.Options())
    }
    if self.account != nil, !self.push.gate.isClosed(now: now), self.agenda.current == nil, self.agenda.next == nil,
      self.isPushWanted || self.nextDue.map({ $0 <= now }) ?? false
    {
      self.agenda.ask(nil, reading: nil)
    }
    self.go()
    self.arm()
  }

  /// Runs a pass, or joins one, and waits for its end.
  ///
  /// - Parameters:
  ///   - options: What is read; nil = nothing: what waits is sent.
  ///   - cause: The command that asks.
  /// - Returns: How that pass ended, be it with the failure of the server, and what it left. Another one may run by then.
  /// - Throws: `FAILED_PRECONDITION/NOT_LOGGED_IN`, `UNAVAILABLE/SHUTTING_DOWN`, `CANCELLED`, a failure of the store.
  func sync(
    _ options: PullPlan.Options?, cause: String, progress: (@Sendable (Progress) -> Void)?
  ) async throws(Failure) -> SyncStatus {
    guard !self.isStopped else { throw Self.stopping }
    guard self.account != nil else { throw try await self.accountFailure() }
    guard !Task.isCancelled else { throw .cancelled }
    let waiter = UUIDv7.make()
    if let progress { self.sinks[waiter] = progress }
    self.push.gate.force(now: self.uptime())
    self.agenda.ask(waiter, reading: options, cause: cause)
    if self.agenda.current?.waiters.contains(waiter) ?? false {
      // It may have looked at what waits before the command, or before what was written for it was noticed.
      self.isPushWanted = true
      self.isHurryWanted = true
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        self.waiters[waiter] = continuation
        self.go()
      }
    } onCancel: {
      Task { await self.leave(waiter) }
    }
    return try result.get()
  }

  private func leave(_ waiter: UUIDv7) {
    if self.agenda.leave(waiter) { self.pass?.cancel() }
    self.resume(waiter, .failure(.cancelled))
  }

  func resume(_ waiter: UUIDv7, _ result: Result<SyncStatus, Failure>) {
    self.sinks[waiter] = nil
    self.waiters.removeValue(forKey: waiter)?.resume(returning: result)
  }

  /// The account in use.
  ///
  /// - Throws: `UNAUTHENTICATED/SESSION_EXPIRED` when the server has refused its token while something was under way, else
  ///   `FAILED_PRECONDITION/NOT_LOGGED_IN`.
  func usedAccount() throws(Failure) -> MonicaAccount {
    guard let account else { throw self.push.isExpired ? Failure.sessionExpired : Failure.notLoggedIn }
    return account
  }

  /// Why nothing can be asked of the server.
  func accountFailure() async throws(Failure) -> Failure {
    let account = try await self.storage.read { view throws(Failure) in try view.accounts.current() }
    return account.state == "expired" ? .sessionExpired : .notLoggedIn
  }

  // MARK: - Writes

  /// Writes a part of the pass, and notes when the store refuses it.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Transaction) throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    do throws(Failure) {
      return try await self.storage.write(cause: self.agenda.current?.cause ?? "", body)
    } catch {
      self.refusal = error
      throw error
    }
  }

  /// Tells those who wait for the pass how far it is, or how far the service that reads for it says it is.
  func tell(_ progress: Progress? = nil) {
    for waiter in self.agenda.current?.waiters ?? [] { self.sinks[waiter]?(progress ?? self.report.progress) }
  }

  static let stopping = Failure(
    .unavailable, "SHUTTING_DOWN",
    "kithd is stopping. Send the command again after its restart; the sync then continues.",
    retryAfterMilliseconds: 1000)
}

extension MonicaAccount {
  init(_ account: AccountRecord) {
    self.init()
    self.endpoint = account.endpoint
    self.tokenName = MonicaEndpoint(known: account.endpoint).tokenName
    self.caFile = account.caFile
  }
}
