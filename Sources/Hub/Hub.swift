internal import Backups
public import Bus
internal import BusZeroMQ
internal import ContactsSync
internal import Daemon
internal import EventLoop
internal import Foundation
internal import Glibc
internal import KithMessages
public import Logging
internal import MonicaAPI
internal import MonicaGateway
public import ServiceLifecycle
internal import Storage
internal import ZeroMQ

/// The daemon: composes store, actors and planes, serves until shutdown, and ends without half-done work.
public struct Hub: ServiceLifecycle.Service {
  private let locations: RuntimeLocations
  private let configuration: HubConfiguration
  private let logger: Logger

  /// Creates a hub; nothing is opened before ``run()``.
  public init(locations: RuntimeLocations, configuration: HubConfiguration, logger: Logger) {
    self.locations = locations
    self.configuration = configuration
    self.logger = logger
  }

  /// Opens the store, binds the sockets, serves until graceful shutdown, drains, and closes.
  ///
  /// - Throws: A ``Failure`` if the store, a directory or a socket cannot be opened.
  public func run() async throws {
    let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
    let runtime = try Self.rephrased { () throws(IPCError) in
      try Self.makeParent(of: self.locations.runtimeDirectory)
      return try RuntimeDirectory(
        path: self.locations.runtimeDirectory, isShared: !self.configuration.users.isEmpty)
    }
    // Held until this function ends: a second daemon would silently replace the sockets.
    let lock = try Self.rephrased { () throws(IPCError) in try runtime.lock("kithd.lock") }
    defer { withExtendedLifetime(lock) {} }

    let publisher = EventRelay()
    let metrics = HubMetrics()
    let storage = try StorageActor(
      directory: self.locations.stateDirectory, logger: self.logger, metrics: metrics.registry
    ) {
      publisher.publish($0)
    }
    do {
      try await self.serve(storage, runtime, publisher, metrics, notifier)
    } catch {
      await storage.close()
      throw error
    }
    await storage.close()
    self.logger.info("stopped")
  }

  private func serve(
    _ storage: StorageActor, _ runtime: RuntimeDirectory, _ publisher: EventRelay, _ metrics: HubMetrics,
    _ notifier: ServiceNotifier
  ) async throws {
    let control = try runtime.endpoint("control.sock")
    let events = try runtime.endpoint("events.sock")
    let work = try runtime.endpoint("work.sock")
    let identity = HubIdentity(eventsEndpoint: events.url)
    let loop = try LoopExecutor(name: "kith-bus", poller: Poller(), logger: self.logger)
    ConnectionTraffic.limit(self.configuration.clientMemory.traffic)
    let gaps = HeapGaps.start()
    let context = try Context()
    let access = AccessPolicy(
      ownUserID: geteuid(), users: self.configuration.users, connectionsPerKey: self.configuration.connectionsPerKey,
      logger: self.logger)
    let zap = try await ZAPHandler.start(context: context, loop: loop, logger: self.logger) { access.decide($0) }

    let workPlane = try WorkPlane(
      context: context, loop: loop, store: storage, codecs: Placement.codecs, access: access,
      pinned: self.configuration.backup.pinned, logger: self.logger)
    let placement = self.configuration.placement
    let secrets = self.configuration.secretSources(stateDirectory: self.locations.stateDirectory)
    // Not on the bus's loop: parsing the answers of servers would block all clients there.
    let transfers = try LoopExecutor(name: "kith-transfers", poller: try DescriptorPoller(), logger: self.logger)
    let paths = HubPaths(
      own: [self.locations.stateDirectory, self.locations.runtimeDirectory],
      secretFolders: self.configuration.secretFolders)
    let accounts = AccountConnections(on: transfers, secrets: secrets, paths: paths)
    let sources = ContactsSourceService(accounts: accounts)
    let contacts = ContactsSyncActor(
      storage: storage,
      source: placement.port(
        to: .contacts, here: LocalBatchPort(sources.routes, batches: sources.batchRoutes), workPlane),
      secrets: secrets, logger: self.logger)
    let servers = MonicaConnections(on: transfers, secrets: secrets)
    let remote = MonicaRemoteService(connections: servers)
    let gateway = MonicaGatewayActor(
      storage: storage,
      remote: placement.port(to: .monica, here: LocalBatchPort(remote.routes, batches: remote.batchRoutes), workPlane),
      secrets: secrets, alarm: SyncAlarm(loop: loop), logger: self.logger,
      timeLimit: self.configuration.monicaTimeLimitSeconds.map { Int64($0) * 1_000_000_000 })
    let inFlight = InFlightCommands()
    let devices = DevicesActor(
      storage: storage, access: access, inFlight: inFlight, secrets: secrets, url: self.configuration.webURL,
      logger: self.logger)
    let care = try CareServices(
      storage, self.configuration, scratch: self.locations.runtimeDirectory + "/care", transfers: transfers,
      secrets: secrets, paths: paths, plane: workPlane, logger: self.logger, door: { await devices.address })
    let eventsPlane = try EventsPlane(
      context: context, loop: loop, heads: storage.heads(), hubInstance: identity.instance, access: access,
      logger: self.logger)
    // A separate loop: looking up a folder may wait for a disk or a network.
    let files = try LoopExecutor(name: "kith-files", poller: try DescriptorPoller(), logger: self.logger)
    let keeper = SourceKeeper(contacts: contacts, plan: self.configuration.plan, loop: files)
    metrics.begin(leased: Set(try await storage.unended().filter { $0.state == .leased }.map(\.id)))
    publisher.connect { metrics.handle(events: $0) }
    publisher.connect { eventsPlane.publish($0) }
    publisher.connect { keeper.handle(events: $0) }
    publisher.connect { care.handle(events: $0) }
    publisher.connect { events in
      let jobs = events.map(\.header).filter { $0.stream == EventStream.jobs.name && $0.tombstone }
      workPlane.forget(jobs.map(\.key))
    }

    let tcp = try TCPAccess(
      self.configuration.tcp, stateDirectory: self.locations.stateDirectory, logger: self.logger
    ) { domain in
      try await AccessProbe.isGuarded(domain, context: context, loop: loop, access: access)
    }
    let keys = KeysActor(storage: storage, access: access, tcp: tcp, logger: self.logger)
    let contentKey = try ContentKey.load(directory: self.locations.stateDirectory)
    let backups = BackupActor(
      storage: storage, plan: self.configuration.backup.plan, household: ContentKey.household(contentKey),
      stateDirectory: self.locations.stateDirectory, archive: WorkerPort(workPlane), alarm: try WallAlarm(loop: files),
      logger: self.logger)
    let jobs = JobRoutes(storage: storage, plane: workPlane, placement: placement)
    let system = SystemRoutes(
      storage: storage, identity: identity, inFlight: inFlight, jobs: jobs,
      subscriptions: { await eventsPlane.subscriptionCount }, peers: { await tcp.peers }, tcp: { await tcp.status },
      doors: { await devices.status })
    let checkup = Checkup(
      locations: self.locations, configuration: self.configuration, storage: storage, care: care)
    let router = Router(
      [checkup.route] + system.routes + contacts.routes + gateway.routes + care.routes + jobs.routes + keys.routes
        + devices.routes + backups.routes,
      inFlight: inFlight,
      journal: storage,
      contentKey: contentKey,
      paths: paths, commandOfJob: { await workPlane.command(of: $0) }, logger: self.logger)
    let controlPlane = try ControlPlane(
      context: context, loop: loop, router: router, access: access, memory: self.configuration.clientMemory,
      metrics: metrics.registry, logger: self.logger)

    await contacts.settle()
    try await workPlane.restore()
    try await workPlane.bind(work)
    try await gateway.start(
      startsNow: self.configuration.monicaSyncAtStart, interval: self.configuration.monicaInterval)
    // Before clients can begin a recording, which would look like one left by the last process.
    try await care.start()
    try await eventsPlane.bind(events)
    await backups.start()
    // Before clients resend the commands that the last process left unfinished.
    try await router.recover()
    try await devices.start()
    try await controlPlane.bind(control)
    try await keys.start(serving: [controlPlane, eventsPlane, workPlane])
    await self.announce("agent.started", storage)
    await keeper.start()
    let metricsSocket = await MetricsSocket.open(
      try runtime.endpoint("metrics.sock"), on: transfers, logger: self.logger
    ) { () async throws(Failure) -> String in
      let status = try await system.status()
      // The text of a damaged store lacks what cannot be read, and says that the store is damaged.
      let queues = try? await storage.queueLengths()
      return metrics.text(
        HubMetrics.Readings(status: status, queues: queues, commandsInFlight: await controlPlane.inFlight))
    }
    let upkeep = Task { await storage.run() }
    self.logger.info("ready", metadata: ["version": "\(SoftwareVersion.current)", "control": "\(control.path)"])
    notifier.ready()
    let rest = StartupCode.giveBackSoon()

    try await gracefulShutdown()
    rest.cancel()
    notifier.stopping()
    self.logger.info("stopping")
    await self.announce("agent.stopping", storage)
    await metricsSocket?.close()
    // Callers that end from here on leave their jobs to the next process.
    await workPlane.beginClosing()
    await keeper.stop()
    await backups.stop()
    await keys.stop()
    await devices.stop()
    // A pass resumes at the next start, so no command waits for its end.
    async let drained: Void = controlPlane.drain(limit: .seconds(10))
    await contacts.stop()
    await gateway.stop()
    await care.stop()
    await drained
    await workPlane.close()
    await accounts.close()
    await servers.close()
    upkeep.cancel()
    gaps.cancel()
    await upkeep.value
    await controlPlane.close()
    await eventsPlane.close()
    for endpoint in [control, events, work] { unlink(endpoint.path) }
    // The sockets close on the loop, which ends with the process.
    withExtendedLifetime(zap) {}
  }

  private static func rephrased<Value>(_ work: () throws(IPCError) -> Value) throws(Failure) -> Value {
    do throws(IPCError) {
      return try work()
    } catch {
      throw Failure(.failedPrecondition, "NOT_CONFIGURED", error.description)
    }
  }

  private static func makeParent(of path: String) throws(IPCError) {
    let parent = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .system(call: "mkdir", path: parent, code: errno)
    }
  }

  private func announce(_ kind: String, _ storage: StorageActor) async {
    var event = Event()
    event.system.kind = kind
    do {
      try await storage.write { [event] transaction throws(Failure) in try transaction.emit(event, on: "system") }
    } catch {
      self.logger.warning("notice not stored", metadata: ["kind": "\(kind)", "error": "\(error)"])
    }
  }
}

/// Passes committed events from the store to receivers that are created after it.
///
/// A receiver does not get events committed before it was connected. The events plane starts at the store's positions,
/// so that subscribers fetch earlier events by `System/Replay`.
final class EventRelay: Sendable {
  typealias Receiver = @Sendable ([LoggedEvent]) -> Void

  private let receivers = Lock<[Receiver]>([])

  func connect(_ receiver: @escaping Receiver) { self.receivers.withLock { $0.append(receiver) } }

  func publish(_ events: [LoggedEvent]) {
    let receivers = self.receivers.withLock { $0 }
    for receive in receivers { receive(events) }
  }
}
