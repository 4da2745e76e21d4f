public import Bus
internal import KithMessages
public import Logging
public import Secrets
public import Storage

/// Keeps the store in sync with the account on the Monica server: sends pending changes, reads what changed.
///
/// Requests are sent one after another, except for changes, a few of which are in flight at once. Each page and each
/// answer is one commit, and the remaining work follows from the store: after a crash the engine continues where it
/// stopped, and searches for changes that were in flight before it sends them again.
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

  /// The account in use, as `MonicaRemote` gets it; nil if logged out.
  var account: MonicaAccount?
  /// Whether an account is known, logged in or not.
  private var hasServer = false
  var push = PushState()
  var report = SyncReport(SyncStatus())
  /// What the running pass reads; nil for nothing.
  var plan: PullPlan?
  /// The names in the catalogs and tags when the pass began, in lower case.
  var names = KnownNames()
  /// When the picture of each person was last requested, by ``uptime``.
  var picturesAskedAt: [String: Int64] = [:]

  var agenda = SyncAgenda()
  var schedule = SyncSchedule(interval: nil, startsNow: false, now: 0)
  private var interval: Int64?
  private var waiters: [UUIDv7: CheckedContinuation<Result<SyncStatus, Failure>, Never>] = [:]
  private var sinks: [UUIDv7: @Sendable (Progress) -> Void] = [:]
  /// What a failed pass had still to read.
  var suspended: PullPlan?
  /// A task holds this lock while it sends requests to the Monica server.
  let server = AsyncLock()
  /// A task holds this lock while it checks the token of a login.
  let logins = AsyncLock()
  /// When each person of the account was last refreshed, in nanoseconds since 1970.
  var refreshedAt: [String: Int64] = [:]
  var loop: Task<Void, Never>?
  var pass: Task<Result<SyncStatus, Failure>, Never>?
  /// True after a write whose change may be due.
  var isPushWanted = false
  /// True after a caller joined the running pass: changes in a short back-off are then sent at once.
  var isHurryWanted = false
  /// True after a caller joined the first reading of the account: the lists that it had begun are read again.
  var isRereadWanted = false
  var isAnnouncementOwed = false
  /// When the first pending change is due, as of the last pass, by ``uptime``.
  var nextDue: Int64?
  var holds = 0
  var isStopped = false
  /// Why the store refused a write, which is not a failure of the server.
  var refusal: Failure?

  /// Makes an engine that does nothing before ``start(startsNow:interval:)``.
  ///
  /// - Parameters:
  ///   - storage: The store.
  ///   - remote: The port to `kith.v1.MonicaRemote`.
  ///   - secrets: The store of account tokens.
  ///   - alarm: Wakes the engine when a pass is due; nil if the owner calls ``wake()``.
  ///   - timeLimit: Longest time in nanoseconds that the server may run a request whose answer was lost or that this
  ///     side cancelled; nil or 0 for no wait, but five seconds after a cancelled request.
  ///   - now: Returns the time of day in nanoseconds since 1970, for values that are stored.
  ///   - uptime: Returns the nanoseconds of a monotonic clock, for waits.
  ///   - sleep: Waits for a number of nanoseconds.
  ///   - jitter: Returns random numbers from 0 to 1.
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

  /// Nanoseconds that even a fast server may run a cancelled request.
  private static let shortestInterruption: Int64 = 5_000_000_000
  private static let origin = ContinuousClock.now

  /// Nanoseconds of the monotonic clock since the first call.
  public static func uptime() -> Int64 {
    let (seconds, attoseconds) = (ContinuousClock.now - Self.origin).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  // MARK: - Start and stop

  /// Continues what the last process left unsent, and starts the schedule.
  ///
  /// - Parameters:
  ///   - startsNow: Whether a pass starts at once.
  ///   - interval: Nanoseconds between passes; nil for passes only on command.
  /// - Throws: A failure of the store.
  public func start(startsNow: Bool, interval: Int64?) async throws(Failure) {
    self.interval = interval
    let busyUntil = self.now() + self.timeLimits.interrupted
    try await self.storage.write { transaction throws(Failure) in
      try transaction.outbox.settleInterrupted(busyUntil: busyUntil)
    }
    // A keyring may be slow, and only the next login needs this.
    Task { await self.forgetCandidate() }
    await self.alarm?.connect { [weak self] in
      guard let self else { return }
      Task { await self.wake() }
    }
    try await self.load(startsNow: startsNow)
    self.wake()
  }

  /// Starts no more work, cancels the running pass and waits for its end.
  public func stop() async {
    self.isStopped = true
    self.pass?.cancel()
    await self.loop?.value
    self.alarm?.set(nil)
    for waiter in Array(self.waiters.keys) { self.resume(waiter, .failure(Self.stopping)) }
  }

  /// Runs work after which another account may be in use; no request is sent to the server meanwhile.
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

  /// Reads the account in use and the state of its sync from the store.
  private func load(startsNow: Bool) async throws(Failure) {
    let (now, uptime) = (self.now(), self.uptime())
    let (account, status, due) = try await self.storage.write {
      transaction throws(Failure) -> (AccountRecord, SyncStatus, Int64?) in
      var report = SyncReport(try transaction.accounts.status() ?? SyncStatus())
      if report.status.state == .syncing {
        // The process that ran this pass has ended.
        report.stop(now: now)
        try transaction.publish(&report, isFinal: true, now: now)
      }
      return (try transaction.accounts.current(), report.status, try transaction.outbox.nextDue(now: now))
    }
    self.hasServer = account.hasServer
    self.account = account.state == .loggedIn ? MonicaAccount(account) : nil
    self.report = SyncReport(status)
    self.nextDue = due.map { uptime + $0 - now }
    self.push = PushState()
    self.suspended = nil
    self.refreshedAt = [:]
    self.picturesAskedAt = [:]
    self.schedule = SyncSchedule(
      interval: self.interval, startsNow: startsNow && self.account != nil, now: uptime)
  }

  // MARK: - Requests for passes

  /// A change was written: it is sent as soon as possible.
  public nonisolated func nudge() { Task { await self.takeNudge() } }

  private func takeNudge() {
    self.isPushWanted = true
    // Without any account, nothing waits.
    let isWaiting = self.hasServer && (self.account == nil || self.push.gate.isClosed(now: self.uptime()))
    if isWaiting { self.isAnnouncementOwed = true }
    self.wake()
  }

  /// Starts passes that are due. Called by the alarm.
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

  /// Runs a pass, or joins the running one, and waits for its end.
  ///
  /// - Parameters:
  ///   - options: What to read; nil to send pending changes only.
  ///   - cause: The command that requests the pass.
  /// - Returns: The outcome of that pass, including a failure of the server. Another pass may be running by then.
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
      // The running pass may have checked pending changes before the command, or before its change was noticed.
      self.isPushWanted = true
      self.isHurryWanted = true
      if self.agenda.isFirstReading { self.isRereadWanted = true }
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

  /// Returns the account in use.
  ///
  /// - Throws: `UNAUTHENTICATED/SESSION_EXPIRED` if the server has refused its token during the work, else
  ///   `FAILED_PRECONDITION/NOT_LOGGED_IN`.
  func usedAccount() throws(Failure) -> MonicaAccount {
    guard let account else { throw self.push.isExpired ? Failure.sessionExpired : Failure.notLoggedIn }
    return account
  }

  /// Why no request can be sent to the server.
  func accountFailure() async throws(Failure) -> Failure {
    let account = try await self.storage.read { view throws(Failure) in try view.accounts.current() }
    return account.state == .expired ? .sessionExpired : .notLoggedIn
  }

  // MARK: - Writes

  /// Writes a part of the pass, and records a refusal of the store.
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

  /// Sends progress to the callers of the pass: its own, or that of the service that reads for it.
  func tell(_ progress: Progress? = nil) {
    let own = self.report.progress
    var progress = progress ?? own
    progress.fraction = own.fraction
    for waiter in self.agenda.current?.waiters ?? [] { self.sinks[waiter]?(progress) }
  }

  /// The context of a call to the service that reads for the pass.
  var reading: CallContext { CallContext { [weak self] progress in Task { await self?.tell(progress) } } }

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
