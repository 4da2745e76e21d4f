internal import ArgumentParser
internal import Bus
internal import Help
internal import HomeAssistant
internal import KithClient
internal import MQTT
internal import Wyoming

/// The household at Home Assistant. See `docs/homeassistant.md`.
@main
struct KithHomeAssistant: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith-homeassistant", abstract: "Connects the household with Home Assistant.",
    discussion: """
      By an MQTT broker Home Assistant finds sensors, buttons to record care, reminders. With --wyoming it hands on what is said to
      the house: "log medication two tablets", "what was logged today".
      Example: kith-homeassistant --broker mqtts://broker.home.arpa --user kith --password-file /etc/kith/broker-password
      """,
    version: "kith-homeassistant \(SoftwareVersion.current)")

  @Option(help: ArgumentHelp("The broker: mqtt://HOST[:PORT], or mqtts:// with TLS. Default: none.", valueName: "url"))
  var broker: String?

  @Option(
    help: ArgumentHelp(
      "Take sentences over Wyoming at this address of this machine: 127.0.0.1, 192.168.1.10:10700. Default: no.",
      valueName: "address"))
  var wyoming: String?

  @Option(
    help: ArgumentHelp(
      "Another machine, or a range, that may send sentences: it can then record and ask. May be given several times.",
      valueName: "address"))
  var wyomingFrom: [String] = []

  @Option(
    help: ArgumentHelp(
      "How the family calls the person cared for, such as mum; may be given several times. Then \"dad had lunch\" is not recorded.",
      valueName: "name"))
  var called: [String] = []

  @Option(help: "The user at the broker. Default: none.")
  var user = ""

  @Option(help: "The file with the password of that user; only its owner may read it.")
  var passwordFile = ""

  @Option(help: "The file with the certificates that sign the broker's. Default: those of the system.")
  var caFile = ""

  @Option(help: "Where the hub's sockets are. Default: $KITH_RUNTIME_DIR, else the usual places.")
  var runtimeDir: String?

  @Option(help: ArgumentHelp("A hub on another machine: tcp://HOST or tcp://HOST:PORT.", valueName: "url"))
  var hub: String?

  @Option(help: "The file of the key for a hub on another machine: kith keys new --file FILE.")
  var key: String?

  @Option(help: "Where the household's id is kept. Default: $XDG_STATE_HOME/kith-homeassistant.")
  var stateDir: String?

  @Option(help: "The prefix under which Home Assistant looks for devices.")
  var discoveryPrefix = "homeassistant"

  @Option(help: "The address of the family's page, which Home Assistant shows as a link.")
  var page = ""

  @Flag(help: "Send the titles of reminders too, which have names. Everybody at the broker can read them.")
  var details = false

  static func main() async { await Self.runProgram(manual: 8) }

  mutating func run() async throws {
    let settings: HouseProcess.Settings
    do throws(Failure) {
      settings = try self.settings()
    } catch {
      throw ValidationError(error.message)
    }
    let code = await HouseProcess(settings).run()
    guard code == 0 else { throw ExitCode(code) }
  }

  private func settings() throws(Failure) -> HouseProcess.Settings {
    var settings = HouseProcess.Settings()
    if let broker { settings.broker = try BrokerAddress(broker) }
    guard wyoming != nil || wyomingFrom.isEmpty && called.isEmpty else {
      throw .invalid(field: "wyoming-from", "--wyoming-from and --called belong to --wyoming.")
    }
    if let wyoming { settings.wyoming = try WyomingAddress(wyoming, from: self.wyomingFrom) }
    guard settings.broker != nil || settings.wyoming != nil else {
      throw .invalid(field: "broker", "Give --broker, --wyoming, or both.")
    }
    settings.called = self.called
    settings.user = self.user
    settings.passwordFile = self.passwordFile
    settings.authorities = self.caFile.isEmpty ? "" : RuntimeLocations.absolute(self.caFile)
    settings.runtimeDirectory = self.runtimeDir
    if let hub = self.hub {
      guard let key = self.key else {
        throw .invalid(field: "key", "--hub needs --key with the file of a key: kith keys new")
      }
      settings.hub = try RemoteHub(hub)
      settings.keyFile = RuntimeLocations.absolute(key)
    }
    guard !self.discoveryPrefix.isEmpty, !self.discoveryPrefix.contains(where: { "+#".contains($0) }) else {
      throw .invalid(field: "discovery-prefix", "has to be a topic without wildcards.")
    }
    guard self.page.isEmpty || self.page.hasPrefix("https://") || self.page.hasPrefix("http://") else {
      throw .invalid(field: "page", "has to begin with https:// or http://.")
    }
    settings.discovery = self.discoveryPrefix
    settings.page = self.page
    settings.tellsDetails = self.details
    let base = RuntimeLocations.variable("XDG_STATE_HOME") ?? "\(RuntimeLocations.variable("HOME") ?? "")/.local/state"
    settings.stateDirectory = RuntimeLocations.absolute(self.stateDir ?? "\(base)/kith-homeassistant")
    return settings
  }
}
