internal import Backups
internal import Bus
internal import ContactsSync
internal import Daemon
internal import Delivery
internal import EventLoop
internal import Foundation
internal import Glibc
internal import KithClient
internal import KithMessages
internal import KithWorker
internal import Logging
internal import MonicaAPI
internal import Secrets
internal import ServiceLifecycle
internal import Transcription
internal import Transfer
internal import UnixSignals

/// The process of a worker: command line, services, signals, exit code. It never opens the store.
public struct WorkerProcess: Sendable {
  private let endpoint: String?
  private let serves: [String]
  private let name: String
  private let slots: Int
  private let stateDirectory: String?
  private let runtimeDirectory: String?
  private let configPath: String?
  private let keyFile: String?
  private let serverKey: String?

  /// Takes the command line's options; nil if not given.
  public init(
    endpoint: String?, serves: [String], name: String, slots: Int, stateDirectory: String?, runtimeDirectory: String?,
    configPath: String?, keyFile: String? = nil, serverKey: String? = nil
  ) {
    self.endpoint = endpoint
    self.keyFile = keyFile
    self.serverKey = serverKey
    self.serves = serves
    self.name = name
    self.slots = slots
    self.stateDirectory = stateDirectory
    self.runtimeDirectory = runtimeDirectory
    self.configPath = configPath
  }

  /// Runs until SIGTERM or SIGINT; running jobs then have 30 seconds.
  ///
  /// - Returns: 0 after an orderly end, 2 if the configuration cannot be used, 1 for any other error.
  public func run() async -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    do {
      let configuration = try HubProcess.configuration(self.configPath, ProcessInfo.processInfo.environment)
      var logger = Logger(label: "kithd.worker", factory: { DaemonLog(label: $0) })
      logger.logLevel = Logger.Level(rawValue: configuration.logLevel) ?? .info
      let locations = try RuntimeLocations(
        runtimeDirectory: self.runtimeDirectory, stateDirectory: self.stateDirectory)
      let worker = try self.worker(locations, try self.services(configuration, locations, logger), logger)
      logger.info("worker", metadata: ["name": "\(self.name)", "serves": "\(self.serves.joined(separator: " "))"])
      let group = ServiceGroup(
        configuration: .init(
          services: [.init(service: Lifetime(worker: worker), successTerminationBehavior: .gracefullyShutdownGroup)],
          gracefulShutdownSignals: [.sigterm, .sigint],
          logger: Logger(label: "kithd.lifecycle", factory: { _ in SwiftLogNoOpLogHandler() })))
      try await group.run()
      logger.info("stopped")
      return 0
    } catch let failure as Failure {
      DaemonLog.end("kithd worker", failure.message)
      return failure.reason.hasPrefix("CONFIG_") ? 2 : 1
    } catch {
      DaemonLog.end("kithd worker", "\(error)")
      return 1
    }
  }

  private func worker(
    _ locations: RuntimeLocations, _ services: LocalBatchPort, _ logger: Logger
  ) throws(Failure) -> Worker {
    guard let endpoint, endpoint.hasPrefix("tcp:") else {
      let hub = if let endpoint { endpoint } else { "ipc://\(try self.workSocket(locations))" }
      return try Worker(hub: hub, name: self.name, slots: self.slots, services: services, logger: logger)
    }
    guard let keyFile else {
      throw .invalid(field: "key", "is missing: over tcp a worker needs one. Make it: kith keys new --file FILE.")
    }
    return try Worker(
      hub: RemoteHub(endpoint), key: KeyFile(path: keyFile), serverKey: self.serverKey, name: self.name,
      slots: self.slots, services: services, logger: logger)
  }

  /// The work socket of this machine's hub, found as `kith` finds it. If no hub is listening, the user's own path: a
  /// worker waits for its hub.
  private func workSocket(_ own: RuntimeLocations) throws(Failure) -> String {
    let places = try RuntimeLocations.places(
      runtimeDirectory: self.runtimeDirectory, stateDirectory: self.stateDirectory)
    return ((try? LocalHub.find(places)) ?? own).workSocket
  }

  private struct Lifetime: ServiceLifecycle.Service {
    let worker: Worker

    func run() async throws {
      try await withGracefulShutdownHandler {
        try await self.worker.run()
      } onGracefulShutdown: {
        Task { [worker] in await worker.drain() }
      }
    }
  }

  private func services(
    _ configuration: HubConfiguration, _ locations: RuntimeLocations, _ logger: Logger
  ) throws -> LocalBatchPort {
    var (routes, batches) = ([Route](), [BatchRoute]())
    let secrets = configuration.secretSources(stateDirectory: locations.stateDirectory)
    let transfers = try LoopExecutor(name: "kith-transfers", poller: try DescriptorPoller(), logger: logger)
    let paths = HubPaths(own: [locations.stateDirectory, locations.runtimeDirectory])
    for name in self.serves {
      switch PlaceableService(rawValue: name) {
      case .contacts:
        let service = ContactsSourceService(accounts: AccountConnections(on: transfers, secrets: secrets, paths: paths))
        routes += service.routes
        batches += service.batchRoutes
      case .monica:
        let service = MonicaRemoteService(connections: MonicaConnections(on: transfers, secrets: secrets))
        routes += service.routes
        batches += service.batchRoutes
      case .transcriber:
        let scratch = locations.runtimeDirectory + "/worker-\(self.name)"
        let settings = configuration.transcription.settings(programs: ProgramFolder.path, scratch: scratch)
        routes += try TranscriberService(settings, http: HTTPClient(on: transfers)).routes
      case .delivery:
        let connections = ChannelConnections(on: transfers, secrets: secrets, paths: paths)
        routes += DeliveryService(connections: connections, programs: configuration.channelPrograms).routes
      case .archive:
        guard let folder = configuration.backup.plan?.folder else {
          throw Failure(
            .invalidArgument, "CONFIG_INVALID",
            "--serve archive needs the folder for the backups: [backup] folder in this worker's configuration.")
        }
        routes += ArchiveService(folder: folder).routes
      case nil:
        let known = PlaceableService.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(
          .invalidArgument, "CONFIG_INVALID", "--serve \(name) is not a service; the services are \(known).")
      }
    }
    return LocalBatchPort(routes, batches: batches)
  }
}
