public import Bus
internal import BusZeroMQ
internal import ContactsSync
internal import Foundation
internal import KithMessages
internal import Secrets
internal import TOMLKit

/// The configuration file of the daemon. Every key has a default; an unknown key is an error.
///
/// ```toml
/// [contacts]
/// sync_at_start = true       # sync every source when the daemon starts
/// sync_every_minutes = 30    # 0 = only at start, on command and on a file-change notice
/// watch_files = true         # sync a source when one of its files changes
///
/// [monica]
/// sync_at_start = true       # sync the account when the daemon starts
/// sync_every_minutes = 15    # 0 = only at start and on command; own changes are always sent at once
/// time_limit_seconds = 30    # longest time that the server may run one request
///
/// [placement]                # "hub", or "worker": kithd worker --serve contacts,monica,transcriber,delivery
/// contacts = "hub"
/// monica = "hub"
/// transcriber = "hub"
/// delivery = "hub"
///
/// [reminders]
/// desktop = true             # notifications on the desktop
///
/// [channels]
/// programs = ["/usr/bin/apprise"]   # programs that channels may run; none by default
/// push = ["push.example.org"]       # push services of browsers besides the known ones
///
/// [secrets]
/// store = "files"            # or "keyring": the desktop's, through secret-tool
/// folders = ["/etc/kith"]    # where commands may read files with secrets
///
/// [tcp]                      # closed without an address
/// address = "192.168.1.10"   # of this machine, or "*"
/// port = 7750                # the first of six
///
/// [users]                    # other users of this machine, by name or number
/// ann = "recorder"
/// kith-web = "door"          # passes on the commands of devices: the user of kith-web
///
/// [web]
/// url = "https://kith.home.arpa"   # where devices reach kith-web; default: as kith-web says
///
/// [backup]                   # see BackupConfiguration
/// folder = "/srv/backup/kith"
///
/// [limits]
/// clients_mib = 64           # memory for all clients together
/// connections_per_key = 16   # to each plane, per key or other user of this machine
///
/// [log]
/// level = "info"             # trace, debug, info, notice, warning, error
/// ```
public struct HubConfiguration: Sendable, Hashable {
  /// The file that it was read from; empty if from none.
  public private(set) var path = ""
  /// Whether all contacts sources are synced when the daemon starts.
  public var syncAtStart = true
  /// Minutes between syncs of the contacts sources; 0 = no schedule.
  public var syncEveryMinutes = 30
  /// Whether a changed file starts a sync of its source.
  public var watchFiles = true
  /// Where devices reach a door; empty = as the door announces.
  public var webURL = ""
  /// Whether the Monica account is synced when the daemon starts.
  public var monicaSyncAtStart = true
  /// Minutes between syncs of the Monica account; 0 = no schedule.
  public var monicaSyncEveryMinutes = 15
  /// Longest time in seconds that the Monica server may run a request whose answer was lost; nil for the default.
  public var monicaTimeLimitSeconds: Int?
  /// The services that run on workers.
  var placement = Placement()
  /// The engines that turn speech into text.
  var transcription = TranscriptionConfiguration()
  /// When backups are made, and where.
  var backup = BackupConfiguration()
  /// Whether reminders are shown on the desktop.
  public var notifiesDesktop = false
  /// Absolute paths of the programs that channels may run.
  public var channelPrograms: Set<String> = []
  /// Hosts of push services besides those of the known browsers.
  public var pushServices: Set<String> = []
  /// Whether secrets are kept in the desktop's keyring instead of files in the state directory.
  public var usesKeyring = false
  /// Directories of files with secrets that commands may name; nil = ``standardSecretFolders(_:)``.
  var namedSecretFolders: [String]?
  /// The address for other machines; nil if there is none.
  var tcp: TCPSettings?
  /// The roles of other users of this machine.
  var users: [UInt32: Role] = [:]
  /// The memory that may be used for all clients together.
  var clientMemory = ClientMemory()
  /// The most connections of a key, or of another user of this machine, to each plane.
  var connectionsPerKey = WireLimits.connectionsPerKey
  /// The least severity that is logged, named as in swift-log.
  public var logLevel = "info"

  /// Creates the default configuration.
  public init() {}

  /// When the contacts sources are synced.
  var plan: SourceKeeper.Plan {
    SourceKeeper.Plan(
      startsNow: self.syncAtStart, interval: self.syncEveryMinutes > 0 ? .seconds(60 * self.syncEveryMinutes) : nil,
      watchesFiles: self.watchFiles)
  }

  /// Nanoseconds between syncs of the Monica account; nil = no schedule.
  var monicaInterval: Int64? {
    self.monicaSyncEveryMinutes > 0 ? Int64(self.monicaSyncEveryMinutes) * 60_000_000_000 : nil
  }

  /// Directories of files with secrets that commands may name.
  var secretFolders: [String] { self.namedSecretFolders ?? Self.standardSecretFolders(RuntimeLocations.variable) }

  /// The configuration directories of the user and the machine, and systemd's credentials directory.
  static func standardSecretFolders(_ variable: (String) -> String?) -> [String] {
    let base = variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let user = base ?? variable("HOME").map { "\($0)/.config" }
    return [user.map { "\($0)/kith" }, "/etc/kith", variable("CREDENTIALS_DIRECTORY")].compactMap(\.self)
  }

  /// The store of passwords and tokens.
  func secretSources(stateDirectory: String) -> SecretSources {
    let store: any SecretStore =
      self.usesKeyring ? SecretService() : SecretDirectory(path: "\(stateDirectory)/secrets")
    return SecretSources(credentials: RuntimeLocations.variable("CREDENTIALS_DIRECTORY"), store: store)
  }

  /// Reads a file.
  ///
  /// - Throws: A ``Failure`` that names the file and the key.
  public init(path: String) throws(Failure) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Failure(
        .notFound, "CONFIG_UNREADABLE",
        "The configuration file \(path) cannot be read. Check the path and its permissions.")
    }
    try self.init(toml: text, name: path)
    self.path = path
  }

  /// Parses the text of a file.
  ///
  /// - Parameter name: The file's name for error messages.
  /// - Throws: A ``Failure`` that names the file and the key.
  public init(toml text: String, name: String) throws(Failure) {
    let root: TOMLTable
    do {
      root = try TOMLTable(string: text)
    } catch let error as TOMLParseError {
      throw Self.invalid(name, "line \(error.source.begin.line): \(error.description)")
    } catch {
      throw Self.invalid(name, "not a TOML file")
    }
    for section in root.keys {
      guard let table = root[section]?.table else { throw Self.invalid(name, "'\(section)' has to be a section") }
      if section == "tcp" { self.tcp = try Self.tcp(table, name) }
      for key in table.keys where section != "tcp" { try self.set("\(section).\(key)", table[key], name) }
    }
    if let fault = self.backup.fault { throw Self.invalid(name, fault) }
    if !self.backup.pinned.isEmpty { self.placement.onWorkers.insert(.archive) }
  }

  private mutating func set(_ key: String, _ value: (any TOMLValueConvertible)?, _ name: String) throws(Failure) {
    switch key {
    case "contacts.sync_at_start":
      self.syncAtStart = try Self.require(value?.bool, key, "true or false", name)
    case "contacts.sync_every_minutes":
      self.syncEveryMinutes = try Self.minutes(value, key, name)
    case "contacts.watch_files":
      self.watchFiles = try Self.require(value?.bool, key, "true or false", name)
    case "monica.sync_at_start":
      self.monicaSyncAtStart = try Self.require(value?.bool, key, "true or false", name)
    case "monica.sync_every_minutes":
      self.monicaSyncEveryMinutes = try Self.minutes(value, key, name)
    case "monica.time_limit_seconds":
      let seconds = try Self.require(value?.int, key, "a whole number of seconds", name)
      guard (0...900).contains(seconds) else { throw Self.invalid(name, "\(key) has to be between 0 and 900") }
      self.monicaTimeLimitSeconds = seconds
    case "limits.clients_mib":
      let count = try Self.require(value?.int, key, "a whole number of MiB", name)
      guard (32...4096).contains(count) else { throw Self.invalid(name, "\(key) has to be between 32 and 4096") }
      self.clientMemory = ClientMemory(bytes: count << 20)
    case "limits.connections_per_key":
      let count = try Self.require(value?.int, key, "a whole number", name)
      guard (1...128).contains(count) else { throw Self.invalid(name, "\(key) has to be between 1 and 128") }
      self.connectionsPerKey = count
    case "reminders.desktop":
      self.notifiesDesktop = try Self.require(value?.bool, key, "true or false", name)
    case let key where key.hasPrefix("placement."):
      try self.place(String(key.dropFirst("placement.".count)), value?.string, name)
    case let key where key.hasPrefix("transcription."):
      let engine = String(key.dropFirst("transcription.".count))
      if let fault = self.transcription.add(engine, value, programs: ProgramFolder.path) {
        throw Self.invalid(name, fault)
      }
    case let key where key.hasPrefix("backup."):
      if let fault = self.backup.set(String(key.dropFirst("backup.".count)), value) { throw Self.invalid(name, fault) }
    case let key where key.hasPrefix("users."):
      let user = String(key.dropFirst("users.".count))
      let roles = "\"viewer\", \"recorder\", \"admin\" or \"door\""
      let text = try Self.require(value?.string, key, roles, name)
      guard let role = Role(rawValue: text), role != .worker else {
        throw Self.invalid(name, "\(key) has to be \(roles)")
      }
      guard let number = LocalUser.number(of: user) else {
        throw Self.invalid(name, "there is no user '\(user)' on this machine")
      }
      self.users[number] = role
    case "web.url":
      let url = try Self.require(value?.string, key, "an address such as \"https://kith.home.arpa\"", name)
      guard let address = Doors.address(url) else {
        throw Self.invalid(name, "\(key) has to be an address such as \"https://kith.home.arpa\", without a path")
      }
      self.webURL = address
    case "channels.programs":
      self.channelPrograms = Set(try Self.paths(value, key, such: "/usr/bin/apprise", name))
    case "channels.push":
      let hosts = value?.array?.compactMap { $0.string } ?? []
      guard value?.array?.count == hosts.count, hosts.allSatisfy({ !$0.isEmpty }) else {
        throw Self.invalid(name, "\(key) has to be a list of host names such as [\"push.example.org\"]")
      }
      self.pushServices = Set(hosts.map { $0.lowercased() })
    case "secrets.store":
      let store = try Self.require(value?.string, key, "\"files\" or \"keyring\"", name)
      guard ["files", "keyring"].contains(store) else {
        throw Self.invalid(name, "\(key) has to be \"files\" or \"keyring\"")
      }
      self.usesKeyring = store == "keyring"
    case "secrets.folders":
      self.namedSecretFolders = try Self.paths(value, key, such: "/etc/kith", name)
    case "log.level":
      let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
      let level = try Self.require(value?.string, key, "one of \(levels.joined(separator: ", "))", name)
      guard levels.contains(level) else {
        throw Self.invalid(name, "\(key) has to be one of \(levels.joined(separator: ", "))")
      }
      self.logLevel = level
    default:
      throw Self.invalid(name, "'\(key)' is not a key of the configuration; docs/operations.md lists them")
    }
  }

  private static func tcp(_ table: TOMLTable, _ name: String) throws(Failure) -> TCPSettings {
    if let unknown = table.keys.first(where: { !["address", "port"].contains($0) }) {
      throw Self.invalid(name, "'tcp.\(unknown)' is not a key of the configuration; docs/operations.md lists them")
    }
    let address = try Self.require(
      table["address"]?.string, "tcp.address", "an address of this machine, or \"*\"", name)
    let port = try table["port"].map { value throws(Failure) in
      try Self.require(value.int, "tcp.port", "a number", name)
    }
    guard let settings = TCPSettings(address: address, port: port ?? Int(TCPSettings.standardPort)) else {
      throw Self.invalid(
        name, "tcp has to have an address of this machine, or \"*\", and a port with room for the five that follow it")
    }
    return settings
  }

  /// Sets the tcp address from the command line: `ADDRESS` or `ADDRESS:PORT`.
  ///
  /// - Throws: `INVALID_ARGUMENT/CONFIG_INVALID`.
  mutating func listen(_ text: String) throws(Failure) {
    guard let settings = TCPSettings(text: text) else {
      throw Failure(
        .invalidArgument, "CONFIG_INVALID",
        "--listen takes an address of this machine, or '*', and if need be a port: 192.168.1.10 or 192.168.1.10:7750.")
    }
    self.tcp = settings
  }

  private mutating func place(_ service: String, _ place: String?, _ name: String) throws(Failure) {
    guard let service = PlaceableService(rawValue: service), PlaceableService.ofHub.contains(service) else {
      let services = PlaceableService.ofHub.map(\.rawValue).joined(separator: ", ")
      throw Self.invalid(name, "placement.\(service) is not a service; the services are \(services)")
    }
    switch place {
    case "hub": self.placement.onWorkers.remove(service)
    case "worker": self.placement.onWorkers.insert(service)
    default: throw Self.invalid(name, "placement.\(service.rawValue) has to be \"hub\" or \"worker\"")
    }
  }

  private static func minutes(
    _ value: (any TOMLValueConvertible)?, _ key: String, _ name: String
  ) throws(Failure) -> Int {
    let minutes = try Self.require(value?.int, key, "a whole number of minutes", name)
    guard (0...10_080).contains(minutes) else {
      throw Self.invalid(name, "\(key) has to be between 0 (never) and 10080 (a week)")
    }
    return minutes
  }

  private static func paths(
    _ value: (any TOMLValueConvertible)?, _ key: String, such example: String, _ name: String
  ) throws(Failure) -> [String] {
    let paths = value?.array?.compactMap { $0.string } ?? []
    guard value?.array?.count == paths.count, paths.allSatisfy({ $0.hasPrefix("/") }) else {
      throw Self.invalid(name, "\(key) has to be a list of absolute paths such as [\"\(example)\"]")
    }
    return paths
  }

  private static func require<Value>(
    _ value: Value?, _ key: String, _ expected: String, _ name: String
  ) throws(Failure) -> Value {
    guard let value else { throw Self.invalid(name, "\(key) has to be \(expected)") }
    return value
  }

  private static func invalid(_ name: String, _ why: String) -> Failure {
    Failure(.invalidArgument, "CONFIG_INVALID", "The configuration file \(name) cannot be used: \(why).")
  }
}
