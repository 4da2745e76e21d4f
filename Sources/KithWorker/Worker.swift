public import Bus
internal import BusZeroMQ
internal import EventLoop
public import KithClient
internal import KithMessages
public import Logging
internal import ZeroMQ

/// A process that runs placeable services for a hub.
///
/// It receives commands as jobs, returns the services' replies, and stores nothing. Its jobs continue when the hub is
/// restarted; a job whose lease is lost is stopped.
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

  /// Makes a worker for a hub on this machine. It connects in ``run()``.
  ///
  /// - Parameters:
  ///   - endpoint: The ipc endpoint of the hub's work plane.
  ///   - name: 1 to 32 of `a-z`, `0-9` and `-`, not beginning with `-`, unique among the hub's workers.
  ///   - slots: The most jobs at a time, at most 16.
  ///   - services: The services that it runs.
  /// - Throws: `UNAVAILABLE` if no thread or socket can be created.
  public convenience init(
    hub endpoint: String, name: String, slots: Int = 4, services: LocalBatchPort, logger: Logger
  ) throws(Failure) {
    try self.init(endpoint, name, slots, services, keys: nil, onHubKeys: { _ in }, logger)
  }

  /// Makes a worker for a hub on another machine.
  ///
  /// - Parameters:
  ///   - file: The worker's key file. While the hub changes its key, the file holds the next key too.
  ///   - serverKey: The hub's public key in hex or Z85; nil = from the file. It is stored in the file.
  ///   - name: The name of the approved key.
  ///   - slots: The most jobs at a time, at most 16.
  ///   - services: The services that it runs.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID` if the hub's key is missing; `UNAVAILABLE` if no thread or socket can be
  ///   created.
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

  /// Serves until it is drained, also while the hub is not running.
  ///
  /// - Throws: Why the hub refuses the worker, such as `PERMISSION_DENIED/ROLE_NOT_ALLOWED` or `ABORTED/REPLACED`.
  public func run() async throws(Failure) { try await self.connection.run() }

  /// Takes no more jobs. ``run()`` returns when its jobs are done or `grace` is over.
  public func drain(grace: Duration = .seconds(30)) async { await self.connection.drain(grace: grace) }
}
