public import Bus
internal import KithMessages
public import Logging
public import Secrets
public import Storage

/// Keeps the household's record of people, works without the server, and is in step with it when it can be.
public actor MonicaGatewayActor {
  let storage: StorageActor
  let remote: any BatchPort & Port
  let secrets: any SecretStore
  let now: @Sendable () -> Int64
  let logger: Logger
  let reports: ReportProgram
  /// Says that something waits for the server.
  let onChange: @Sendable () -> Void
  /// Asks the server about a person.
  let refresh: @Sendable (_ person: String) async throws(Failure) -> Void

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - remote: The way to `kith.v1.MonicaRemote`.
  ///   - secrets: Where the tokens of accounts are kept.
  ///   - reports: The path of the program that sets reports; nil = `kith-report` beside this program.
  ///   - onChange: Called after each commit that left something for the server; it must not wait.
  ///   - refresh: Asks the server about a person and stores what it says. Where it throws, people see what is stored.
  ///   - now: Gives the time of day in nanoseconds since 1970.
  public init(
    storage: StorageActor, remote: any BatchPort & Port, secrets: any SecretStore, logger: Logger,
    reports: String? = nil, onChange: @escaping @Sendable () -> Void = {},
    refresh: @escaping @Sendable (_ person: String) async throws(Failure) -> Void = { _ in },
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
  ) {
    self.storage = storage
    self.remote = remote
    self.secrets = secrets
    self.logger = logger
    self.reports = reports.map { ReportProgram(path: $0) } ?? .besideThisProgram
    self.onChange = onChange
    self.refresh = refresh
    self.now = now
  }
}
