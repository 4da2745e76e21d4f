public import Bus
internal import BusZeroMQ
internal import EventLoop
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
  ///   - endpoint: Of the hub's work plane.
  ///   - name: `[a-z0-9-]{1,32}`; the hub knows one worker of a name at a time.
  ///   - slots: Jobs at once, at most 16.
  ///   - services: What it runs.
  /// - Throws: `UNAVAILABLE` when the system gives no thread or socket.
  public init(
    hub endpoint: String, name: String, slots: Int = 4, services: LocalBatchPort, logger: Logger
  ) throws(Failure) {
    do {
      self.loop = try LoopExecutor(name: "kith-worker", poller: Poller(), logger: logger)
      self.context = try Context()
    } catch {
      throw Failure(.unavailable, "HUB_NOT_RUNNING", "The connection cannot be set up: \(error).")
    }
    self.connection = WorkerConnection(
      context: self.context, loop: self.loop, endpoint: endpoint, name: name, slots: slots, services: services,
      logger: logger)
  }

  /// Serves until it was drained, also while the hub is away.
  ///
  /// - Throws: Why the hub does not take it, such as `PERMISSION_DENIED/ROLE_NOT_ALLOWED` or `ABORTED/REPLACED`.
  public func run() async throws(Failure) { try await self.connection.run() }

  /// Takes no more jobs, and has ``run()`` return when those that it has are done, or `grace` is over.
  public func drain(grace: Duration = .seconds(30)) async { await self.connection.drain(grace: grace) }
}
