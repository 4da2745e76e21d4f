public import Bus
internal import KithMessages
public import Logging
public import Secrets
public import Storage
internal import Typesetter

/// Keeps the household's records about people. It works without the Monica server, and syncs with it when it is
/// reachable.
///
/// Commands read and write the store only. ``SyncEngine`` sends their changes to the server.
public actor MonicaGatewayActor {
  let storage: StorageActor
  let engine: SyncEngine
  let reports: ReportProgram
  let now: @Sendable () -> Int64
  let logger: Logger

  /// Makes an actor; no request is sent to the server before ``start(startsNow:interval:)``.
  ///
  /// - Parameters:
  ///   - storage: The store.
  ///   - remote: The port to `kith.v1.MonicaRemote`.
  ///   - secrets: The store of account tokens.
  ///   - alarm: Wakes the sync when a pass is due; nil to sync only on command.
  ///   - reports: The path of the program that typesets reports; nil for `kith-report` beside this program.
  ///   - timeLimit: Longest time in nanoseconds that the server may run one request. After a lost answer, or a process
  ///     that ended during a request, the sync waits this long before it sends the change again. nil for no wait, but
  ///     five seconds after a process ended.
  ///   - now: Returns the time of day in nanoseconds since 1970.
  public init(
    storage: StorageActor, remote: any BatchPort & Port, secrets: any SecretStore, alarm: SyncAlarm?, logger: Logger,
    reports: String? = nil, timeLimit: Int64? = nil,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
  ) {
    self.storage = storage
    self.engine = SyncEngine(
      storage: storage, remote: remote, secrets: secrets, alarm: alarm, logger: logger, timeLimit: timeLimit,
      now: now)
    self.reports = reports.map { ReportProgram(path: $0) } ?? .besideThisProgram
    self.now = now
    self.logger = logger
  }

  /// Continues what the last process left unsent, and starts the schedule.
  ///
  /// - Parameters:
  ///   - startsNow: Whether a pass starts at once.
  ///   - interval: Nanoseconds between passes; nil for passes only on command.
  /// - Throws: A failure of the store.
  public func start(startsNow: Bool, interval: Int64?) async throws(Failure) {
    try await self.engine.start(startsNow: startsNow, interval: interval)
  }

  /// Sends no more requests to the server, and waits for those in flight.
  public func stop() async { await self.engine.stop() }
}
