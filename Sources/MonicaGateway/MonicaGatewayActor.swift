public import Bus
internal import KithMessages
public import Logging
public import Secrets
public import Storage

/// Keeps the household's record of people, works without the server, and is in step with it when it can be.
///
/// Commands are answered from the store and written to it. What they leave for the server is the engine's to bring there.
public actor MonicaGatewayActor {
  let storage: StorageActor
  let engine: SyncEngine
  let reports: ReportProgram
  let now: @Sendable () -> Int64
  let logger: Logger

  /// Makes an actor; nothing is asked of the server before ``start(startsNow:interval:)``.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - remote: The way to `kith.v1.MonicaRemote`.
  ///   - secrets: Where the tokens of accounts are kept.
  ///   - alarm: Wakes the sync when something is due; nil = it waits for commands.
  ///   - reports: The path of the program that sets reports; nil = `kith-report` beside this program.
  ///   - timeLimit: For how many nanoseconds the server may still work on a request whose answer was lost, or that the
  ///     end of a process interrupted; nil = not at all, and five seconds after an end, when nobody waits.
  ///   - now: Gives the time of day in nanoseconds since 1970.
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

  /// Takes up what the last process left for the server, and begins to keep time.
  ///
  /// - Parameters:
  ///   - startsNow: Whether there is a pass at once.
  ///   - interval: Nanoseconds between passes; nil = only on command.
  /// - Throws: A failure of the store.
  public func start(startsNow: Bool, interval: Int64?) async throws(Failure) {
    try await self.engine.start(startsNow: startsNow, interval: interval)
  }

  /// Asks nothing more of the server, and waits for what is under way.
  public func stop() async { await self.engine.stop() }
}
