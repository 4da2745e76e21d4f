public import Bus
internal import BusZeroMQ
internal import EventLoop
public import KithClient
internal import KithMessages
public import Logging
internal import ZeroMQ

/// A process that runs placeable services for a hub elsewhere.
///
/// It takes commands as jobs, gives back what the services answer, and keeps nothing. A job that it has when the hub is
/// restarted goes on; one whose lease is lost is given up.
///
/// ```swift
/// let worker = try Worker(
///   hub: "ipc:///run/user/1000/kith/work.sock", name: "speech", services: LocalBatchPort(routes, batches: []),
///   logger: logger)
/// try await worker.run()
/// ```
public final class Worker: Sendable {
  private let connection: WorkerConnection
  private let loop: LoopExecutor
  private let context: Context

  /// Makes a worker; nothing is connected before ``run()``.
  ///
  /// - Parameters:
  ///   - endpoint: Of the hub's work plane, by ipc.
  ///   - name: `[a-z0-9-]{1,32}`; the hub knows one worker of a name at a time.
  ///   - slots: Jobs at once, at most 16.
  ///   - services: What it runs.
  /// - Throws: `UNAVAILABLE` when the system gives no thread or socket.
  public convenience init(
    hub endpoint: String, name: String, slots: Int = 4, services: LocalBatchPort, logger: Logger
  ) throws(Failure) {
    try self.init(endpoint, name, slots, services, keys: nil, onHubKeys: { _ in }, logger)
  }

  /// Makes a worker of a hub on another machine.
  ///
  /// - Parameters:
  ///   - file: The worker's key. When the hub changes its own key, the file has the next one too.
  ///   - serverKey: The hub's public key in hex or Z85; nil = as the file says. It is kept in the file.
  ///   - name: The name under which the key was approved.
  ///   - slots: Jobs at once, at most 16.
  ///   - services: What it runs.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` without a key of the hub; `UNAVAILABLE` when the system gives no thread or socket.
  public convenience init(
    hub: RemoteHub, key file: KeyFile, serverKey: String? = nil, name: String, slots: Int = 4, services: LocalBatchPort,
    logger: Logger
  ) throws(Failure) {
    let keys = try file.hubKeys(serverKey: serverKey)
    let keep: @Sendable (HubKeys) -> Void = { keys in
      var file = file
      do throws(Failure) {
        try file.trust(keys.servers.map(\.z85))
      } catch {
        logger.warning("the hub's keys could not be kept", metadata: ["reason": "\(error.reason)"])
      }
    }
    if file.serverKeys != keys.servers.map(\.z85) { keep(keys) }
    try self.init(hub.work, name, slots, services, keys: keys, onHubKeys: keep, logger)
  }

  private init(
    _ endpoint: String, _ name: String, _ slots: Int, _ services: LocalBatchPort, keys: HubKeys?,
    onHubKeys: @escaping @Sendable (HubKeys) -> Void, _ logger: Logger
  ) throws(Failure) {
    do {
      self.loop = try LoopExecutor(name: "kith-worker", poller: Poller(), logger: logger)
      self.context = try Context()
    } catch {
      throw Failure(.unavailable, "HUB_NOT_RUNNING", "The connection cannot be set up: \(error).")
    }
    self.connection = WorkerConnection(
      context: self.context, loop: self.loop, endpoint: endpoint, name: name, slots: slots, services: services,
      keys: keys,
      onHubKeys: onHubKeys, logger: logger)
  }

  /// Serves until it was drained, also while the hub is away.
  ///
  /// - Throws: Why the hub does not take it, such as `PERMISSION_DENIED/ROLE_NOT_ALLOWED` or `ABORTED/REPLACED`.
  public func run() async throws(Failure) { try await self.connection.run() }

  /// Takes no more jobs, and has ``run()`` return when those that it has are done, or `grace` is over.
  public func drain(grace: Duration = .seconds(30)) async { await self.connection.drain(grace: grace) }
}
