internal import Bus
internal import Daemon
internal import Digest
internal import EventLoop
internal import FoundationEssentials
internal import Glibc
public import KithClient
internal import KithMessages
internal import Logging
public import MQTT
internal import Secrets
internal import UnixSignals
public import Wyoming

/// The process between a hub and Home Assistant, by a broker, by Wyoming, or by both: connections, signals, exit code.
///
/// ```swift
/// let code = await HouseProcess(settings).run()
/// ```
public struct HouseProcess: Sendable {
  /// What the command line says.
  public struct Settings: Sendable {
    /// The broker; nil = none.
    public var broker: BrokerAddress?
    /// Where sentences are taken; nil = nowhere.
    public var wyoming: WyomingAddress?
    /// How the family calls the person cared for; empty = any word for an elder counts.
    public var called: [String] = []
    /// The user at the broker; empty = anonymous.
    public var user = ""
    /// The file with the user's password.
    public var passwordFile = ""
    /// The file with the certificates that may sign that of the broker; empty = those of the system.
    public var authorities = ""
    /// Where the hub's sockets are; nil = the usual places.
    public var runtimeDirectory: String?
    /// A hub on another machine.
    public var hub: RemoteHub?
    /// The key for it.
    public var keyFile = ""
    /// Where the household's id is kept.
    public var stateDirectory = ""
    /// The prefix under which Home Assistant looks for devices.
    public var discovery = "homeassistant"
    /// The address of the family's page; empty = none.
    public var page = ""
    /// Whether reminders are sent with their titles.
    public var tellsDetails = false

    /// Makes settings without a broker and without sentences.
    public init() {}
  }

  private let settings: Settings
  private let logger = Logger(label: "kith-homeassistant", factory: { DaemonLog(label: $0) })

  /// Takes the settings.
  public init(_ settings: Settings) { self.settings = settings }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Returns: 0 after an orderly end, 1 after an error.
  public func run() async -> Int32 {
    signal(SIGPIPE, SIG_IGN)
    do throws(Failure) {
      try await self.serve()
      return 0
    } catch {
      DaemonLog.end("kith-homeassistant", error.message)
      return 1
    }
  }

  private func serve() async throws(Failure) {
    var login = Broker.Login()
    login.user = self.settings.user
    login.authorities = self.settings.authorities
    if !self.settings.passwordFile.isEmpty {
      let path = RuntimeLocations.absolute(self.settings.passwordFile)
      guard let password = try SecretFile(path: path).read() else {
        throw .invalid(field: "password-file", "There is no file \(path).")
      }
      login.password = password
    }
    let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    let spoken = SpokenHouse(called: self.settings.called, logger: self.logger)
    let server = try await self.listen(spoken)
    // The hub may come later: a service manager that waited for it would end the program meanwhile.
    notifier.ready()
    let work = Task {
      await Result(of: { () async throws(Failure) in try await self.connect(login, spoken) })
    }
    let watch = Task {
      for await _ in signals {
        work.cancel()
        break
      }
    }
    defer { watch.cancel() }
    let result = await work.value
    await server?.close()
    try result.get()
    notifier.stopping()
    self.logger.info("stopped")
  }

  /// Begins to take sentences, also while the hub is away.
  private func listen(_ spoken: SpokenHouse) async throws(Failure) -> WyomingServer? {
    guard let address = self.settings.wyoming else { return nil }
    let loop: LoopExecutor
    do {
      loop = try LoopExecutor(name: "kith-wyoming", poller: try DescriptorPoller(), logger: self.logger)
    } catch {
      throw .invalid(field: "wyoming", "Sentences cannot be taken: \(error).")
    }
    let program = WyomingProgram(
      name: "kith", description: "Kith, the log of home care", version: SoftwareVersion.current,
      languages: CareLanguage.allCases.map(\.rawValue))
    let server = try await WyomingServer.open(address, program, on: loop, logger: self.logger) { sentence in
      await spoken.answer(sentence)
    }
    let port = await server.port
    self.logger.info("sentences are taken", metadata: ["host": "\(address.host)", "port": "\(port)"])
    return server
  }

  private func connect(_ login: Broker.Login, _ spoken: SpokenHouse) async throws(Failure) {
    var isTold = false
    let waiting = try self.wait(login)
    defer { waiting?.cancel() }
    while !Task.isCancelled {
      do throws(Failure) {
        let client = try await self.hub()
        await spoken.use(client)
        let end = await Result(of: { () async throws(Failure) in try await self.keep(client, login, waiting) })
        await client.close()
        try end.get()
        return
      } catch {
        guard !Task.isCancelled else { return }
        // A broken option does not mend itself; a hub that is away comes back.
        guard error.code == .unavailable || error.code == .deadlineExceeded else { throw error }
        if !isTold { self.logger.warning("the hub does not answer", metadata: ["why": "\(error.message)"]) }
        isTold = true
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// Says at the broker that the device is offline, until the hub has answered once: the broker may have kept what was so before the power
  /// failed. Nil without a broker, and in a household that no hub has named yet.
  private func wait(_ login: Broker.Login) throws(Failure) -> Task<Void, Never>? {
    guard let address = self.settings.broker, let id = self.keptID else { return nil }
    let offline = self.topics(id).offline
    let broker = try Broker(address, login: login, id: Self.client(id), will: offline)
    return Task {
      await withTaskCancellationHandler {
        for await event in broker.events where event == .connected { broker.publish(offline) }
      } onCancel: {
        broker.close()
      }
    }
  }

  private func topics(_ id: String) -> HouseTopics { HouseTopics(id: id, discovery: self.settings.discovery) }

  /// The name at the broker. Who comes with it ends the connection of the one before.
  private static func client(_ id: String) -> String { "kith-\(id)" }

  private static func untilCancelled() async {
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
  }

  /// Serves while the connection to the hub holds.
  ///
  /// - Parameter waiting: What speaks for the device until now.
  private func keep(
    _ client: KithClient, _ login: Broker.Login, _ waiting: Task<Void, Never>?
  ) async throws(Failure) {
    guard let address = self.settings.broker else {
      self.logger.info("ready", metadata: ["version": "\(SoftwareVersion.current)"])
      return await Self.untilCancelled()
    }
    let id = try self.householdID(try await client.ask(HelloRequest()))
    waiting?.cancel()
    await waiting?.value
    let topics = self.topics(id)
    let broker = try Broker(address, login: login, id: Self.client(id), will: topics.offline)
    let house = House(
      client, broker, topics, page: self.settings.page, tellsDetails: self.settings.tellsDetails, logger: self.logger)
    self.logger.info("ready", metadata: ["version": "\(SoftwareVersion.current)", "household": "\(id)"])
    let rest = StartupCode.giveBackSoon()
    defer { rest.cancel() }
    await withTaskCancellationHandler {
      await house.run()
    } onCancel: {
      broker.publish(topics.offline)
      broker.close()
    }
  }

  private func hub() async throws(Failure) -> KithClient {
    guard let hub = self.settings.hub else {
      return try await .connect(runtimeDirectory: self.settings.runtimeDirectory, logger: self.logger)
    }
    return try await .connect(to: hub, key: try KeyFile(path: self.settings.keyFile), logger: self.logger)
  }

  /// The id of the household: that of the hub's store when this program first saw it. It stays the same when the store is restored
  /// from a backup, so that Home Assistant keeps its entities.
  private func householdID(_ hello: HelloReply) throws(Failure) -> String {
    if let keptID { return keptID }
    let store = hello.heads.first?.epoch ?? ""
    let id = Hex.encode(SHA256.digest(Array("household:\(store)".utf8)).prefix(4))
    do {
      try FileManager.default.createDirectory(atPath: self.settings.stateDirectory, withIntermediateDirectories: true)
      try Data("\(id)\n".utf8).write(to: URL(filePath: self.idFile), options: .atomic)
    } catch {
      throw .invalid(
        field: "state-dir", "\(self.idFile) cannot be written. Give a directory that this program may write.")
    }
    return id
  }

  private var idFile: String { self.settings.stateDirectory + "/household" }

  /// The id that was stored; nil before the first answer of a hub.
  private var keptID: String? {
    guard let kept = try? String(contentsOfFile: self.idFile, encoding: .utf8).split(separator: "\n").first,
      kept.utf8.count == 8, kept.allSatisfy(\.isHexDigit)
    else { return nil }
    return String(kept)
  }
}
