public import Bus
internal import Certificates
internal import Daemon
internal import EventLoop
internal import Foundation
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdHTTP2
internal import KithClient
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import UnixSignals
public import WebRules

/// The process of the door: connections to the hub and from devices, signals, exit code.
public struct WebProcess: Sendable {
  /// How long open connections may go on after SIGTERM.
  private static let farewell = Duration.milliseconds(800)

  private let settings: Settings
  private let place: HubLink.Place
  private let stateDirectory: String
  private let logger: Logger

  /// Takes the command line's options.
  ///
  /// - Parameters:
  ///   - hub: `tcp://HOST[:PORT]`; nil = the hub of this machine.
  ///   - keyFile: The key for a hub on another machine.
  ///   - stateDirectory: Where the own certificate authority is kept.
  /// - Throws: `INVALID_ARGUMENT/FIELD_INVALID`.
  public init(
    _ settings: Settings, runtimeDirectory: String?, hub: String?, keyFile: String?, stateDirectory: String
  ) throws(Failure) {
    self.settings = settings
    if let hub {
      guard let keyFile else { throw .invalid(field: "key", "--hub needs --key with the file of a key: kith keys new") }
      self.place = .remote(try RemoteHub(hub), keyFile: RuntimeLocations.absolute(keyFile))
    } else {
      self.place = .local(runtimeDirectory: runtimeDirectory)
    }
    self.stateDirectory = RuntimeLocations.absolute(stateDirectory)
    self.logger = Logger(label: "kith-web", factory: { DaemonLog(label: $0) })
  }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Returns: 0 after an orderly end, 1 after an error.
  public func run() async -> Int32 {
    // Writing to a connection without a reader fails instead of ending the process: signal(7).
    signal(SIGPIPE, SIG_IGN)
    do {
      try await self.serve()
      return 0
    } catch let failure as Failure {
      DaemonLog.end("kith-web", failure.message)
    } catch {
      DaemonLog.end("kith-web", "\(error)")
    }
    return 1
  }

  private func serve() async throws {
    let own = Self.machineNames()
    let names = self.settings.hostNames(ofMachine: own)
    let store = try self.certificates(for: names)
    let metrics = WebMetrics()
    let fan = Lock<EventFan?>(nil)
    let link = HubLink(self.place, logger: self.logger) { isUp in
      metrics.hub(isUp: isUp)
      fan.withLock { $0 }?.hub(isUp: isUp)
    }
    let devices = KnownDevices(link)
    let events = EventFan(link, devices, metrics, logger: self.logger)
    fan.withLock { $0 = events }
    let announcer = Announcer(link, store.map(\.store), self.settings.protection, logger: self.logger)
    let parts = DoorParts(
      link: link, devices: devices, household: Household(link), fan: events, metrics: metrics,
      authority: store?.authority)
    let door = WebDoor(
      parts,
      Admission(names: names, isTLS: self.settings.protection.isTLS, proxies: self.settings.proxies),
      logger: self.logger)
    let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
    let application = Application(
      responder: door, server: try self.server(store?.store, metrics),
      configuration: ApplicationConfiguration(
        address: .hostname(self.settings.host, port: self.settings.port), serverName: nil),
      onServerRunning: { [settings, logger] channel in
        let port = channel.localAddress?.port ?? settings.port
        let address = settings.address(port: port, ofMachine: own)
        announcer.serve(at: address)
        logger.info(
          "ready",
          metadata: ["version": "\(SoftwareVersion.current)", "address": "\(address)", "port": "\(port)"])
        notifier.ready()
      },
      logger: Logger(label: "kith-web.http", factory: { _ in SwiftLogNoOpLogHandler() }))
    var configuration = ServiceGroupConfiguration(
      services: [.init(service: application, successTerminationBehavior: .gracefullyShutdownGroup)],
      gracefulShutdownSignals: [.sigterm, .sigint],
      logger: Logger(label: "kith-web.lifecycle", factory: { _ in SwiftLogNoOpLogHandler() }))
    configuration.maximumGracefulShutdownDuration = Self.farewell
    let group = ServiceGroup(configuration: configuration)
    let rest = StartupCode.giveBackSoon()
    defer { rest.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { await link.run() }
      tasks.addTask { await events.run() }
      tasks.addTask { await events.keepUp() }
      tasks.addTask { await announcer.run() }
      tasks.addTask { await announcer.listen() }
      defer { tasks.cancelAll() }
      do {
        try await group.run()
      } catch is CancellationError {
        // Some connection needed more than the farewell: it was cut.
      }
    }
    notifier.stopping()
    self.logger.info("stopped")
  }

  private func certificates(
    for names: HostNames
  ) throws(Failure) -> (store: CertificateStore, authority: Authority?)? {
    switch self.settings.protection {
    case .certificate(let certificate, let key):
      return (
        try CertificateStore(
          .files(certificate: RuntimeLocations.absolute(certificate), key: RuntimeLocations.absolute(key))), nil
      )
    case .ownCA:
      let authority = try Authority(
        folder: self.stateDirectory, names: names.names, now: WallClock.nanoseconds())
      return (try CertificateStore(.authority(authority)), authority)
    case .proxy, .none: return nil
    }
  }

  private func server(_ store: CertificateStore?, _ metrics: WebMetrics) throws(Failure) -> HTTPServerBuilder {
    let isBehindProxy = self.settings.protection == .proxy
    let connections = Connections(
      ConnectionLimits(each: isBehindProxy ? ConnectionLimits.all : ConnectionLimits.address)
    ) { count, isRefused in metrics.connections(count, isRefused: isRefused) }
    let stream = HTTP1Channel.Configuration(
      additionalChannelHandlers: [StreamAlarm()], idleTimeout: TimeAmount(IdleTime.longest),
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: Admission.largestHead, maxHeaderListSize: Admission.largestHead, maxHeaderFieldCount: 100))
    guard let store else {
      return HTTPServerBuilder { responder in
        ConnectionGuard(HTTP1Channel(responder: responder, configuration: stream), connections)
      }
    }
    let tls = try ServedTLS(store).configuration()
    return HTTPServerBuilder { responder in
      ConnectionGuard(
        try HTTP2UpgradeChannel(
          tlsConfiguration: tls, configuration: .init(idleTimeout: IdleTime.notice, streamConfiguration: stream),
          responder: responder), connections)
    }
  }

  /// The names of this machine, by which others in its network may know it.
  private static func machineNames() -> [String] {
    let name = ProcessInfo.processInfo.hostName.lowercased()
    guard !name.isEmpty, name != "localhost" else { return [] }
    return name.contains(".") ? [name] : [name, "\(name).local"]
  }
}
