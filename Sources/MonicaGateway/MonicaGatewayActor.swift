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

  /// Makes an actor.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - remote: The way to `kith.v1.MonicaRemote`.
  ///   - secrets: Where the tokens of accounts are kept.
  ///   - now: Gives the time of day in nanoseconds since 1970.
  public init(
    storage: StorageActor, remote: any BatchPort & Port, secrets: any SecretStore, logger: Logger,
    now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
  ) {
    self.storage = storage
    self.remote = remote
    self.secrets = secrets
    self.logger = logger
    self.now = now
  }
}
