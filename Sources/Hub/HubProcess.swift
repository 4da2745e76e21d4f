internal import Bus
internal import Daemon
internal import Foundation
internal import Glibc
internal import KithMessages
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// The process of the daemon: command line, signals, exit code.
public struct HubProcess: Sendable {
  /// The version of the software.
  public static let version = SoftwareVersion.current

  private let stateDirectory: String?
  private let runtimeDirectory: String?
  private let configPath: String?
  private let listen: String?

  /// Takes the command line's options; nil if not given.
  public init(stateDirectory: String?, runtimeDirectory: String?, configPath: String?, listen: String? = nil) {
    self.stateDirectory = stateDirectory
    self.runtimeDirectory = runtimeDirectory
    self.configPath = configPath
    self.listen = listen
  }

  /// Runs until SIGTERM or SIGINT.
  ///
  /// - Returns: 0 after an orderly end, 2 if the configuration cannot be used, 1 for any other error.
  public func run() async -> Int32 {
    // Writing to a pipe without a reader, such as a log or a program, fails instead of ending the process: signal(7).
    signal(SIGPIPE, SIG_IGN)
    do {
      let environment = ProcessInfo.processInfo.environment
      let locations = try RuntimeLocations(
        runtimeDirectory: self.runtimeDirectory, stateDirectory: self.stateDirectory)
      var configuration = try Self.configuration(self.configPath, environment)
      if let listen { try configuration.listen(listen) }
      var logger = Logger(label: "kithd", factory: { DaemonLog(label: $0) })
      logger.logLevel = Logger.Level(rawValue: configuration.logLevel) ?? .info
      let hub = Hub(locations: locations, configuration: configuration, logger: logger)
      let group = ServiceGroup(
        configuration: .init(
          services: [.init(service: hub, successTerminationBehavior: .gracefullyShutdownGroup)],
          gracefulShutdownSignals: [.sigterm, .sigint],
          logger: Logger(label: "kithd.lifecycle", factory: { _ in SwiftLogNoOpLogHandler() })))
      try await group.run()
      return 0
    } catch let failure as Failure {
      DaemonLog.end("kithd", failure.message)
      return failure.reason.hasPrefix("CONFIG_") ? 2 : 1
    } catch {
      DaemonLog.end("kithd", "\(error)")
      return 1
    }
  }

  /// Reads the named file, or the one at the usual place if it exists.
  static func configuration(
    _ path: String?, _ environment: [String: String]
  ) throws(Failure) -> HubConfiguration {
    if let path = path ?? environment["KITH_CONFIG"] { return try HubConfiguration(path: path) }
    let home = environment["HOME"] ?? "/"
    let base = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
    let path = "\(base)/kith/kithd.toml"
    return FileManager.default.fileExists(atPath: path) ? try HubConfiguration(path: path) : HubConfiguration()
  }
}
