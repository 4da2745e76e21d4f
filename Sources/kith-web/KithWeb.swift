internal import ArgumentParser
internal import Bus
internal import Help
internal import Web
internal import WebRules

/// The door for devices that speak HTTP. See `docs/http.md`.
@main
struct KithWeb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith-web", abstract: "Serves Kith to phones, browsers and scripts over HTTP.",
    discussion: """
      One of --cert with --key-file, --own-ca, --behind-proxy and --insecure-http says who answers for its name; `kith web setup` \
      explains them.
      Example: kith-web --listen 0.0.0.0:8443 --own-ca --name kith.home.arpa --state-dir ~/.local/state/kith-web
      """,
    version: "kith-web \(SoftwareVersion.current)")

  @Option(help: ArgumentHelp("Where to listen: an address of this machine, and a port.", valueName: "address:port"))
  var listen: String

  @Option(help: "Where the hub's sockets are. Default: $KITH_RUNTIME_DIR, else the usual places.")
  var runtimeDir: String?

  @Option(help: ArgumentHelp("A hub on another machine: tcp://HOST or tcp://HOST:PORT.", valueName: "url"))
  var hub: String?

  @Option(help: "The file of the key for a hub on another machine: kith keys new --file FILE.")
  var key: String?

  @Option(
    help: "Where its own certificate authority is kept. Default: $KITH_WEB_STATE_DIR, else $XDG_STATE_HOME/kith-web.")
  var stateDir: String?

  @Option(help: "A certificate in PEM form, with those of its authorities. It is read again when it changes.")
  var cert: String?

  @Option(help: "The certificate's private key.")
  var keyFile: String?

  @Flag(name: .customLong("own-ca"), help: "Make and renew a certificate by an authority of this household.")
  var ownCA = false

  @Flag(help: "A proxy in front of it encrypts, and says who calls (X-Forwarded-For, -Proto, -Host).")
  var behindProxy = false

  @Flag(help: "Do not encrypt: speech and work without the network are off, and browsers may only read.")
  var insecureHttp = false

  @Option(help: "A name or address by which devices reach it. May be repeated. Default: the machine's own.")
  var name: [String] = []

  @Option(help: "A proxy's address, or a range such as 172.17.0.0/16. May be repeated. Default: this machine.")
  var trustedProxy: [String] = []

  @Option(help: "Its address for people, if it differs from the name and port: https://kith.example.org")
  var url: String?

  static func main() async { await Self.runProgram(manual: 8) }

  mutating func run() async throws {
    let process: WebProcess
    do throws(Failure) {
      let settings = try Settings(
        listen: self.listen, certificate: self.cert, keyFile: self.keyFile, ownCA: self.ownCA,
        behindProxy: self.behindProxy, insecure: self.insecureHttp, names: self.name, proxies: self.trustedProxy,
        url: self.url)
      process = try WebProcess(
        settings, runtimeDirectory: self.runtimeDir, hub: self.hub, keyFile: self.key,
        stateDirectory: self.stateDir ?? Self.usualStateDirectory)
    } catch {
      throw ValidationError(error.message)
    }
    let code = await process.run()
    guard code == 0 else { throw ExitCode(code) }
  }

  private static var usualStateDirectory: String {
    if let own = RuntimeLocations.variable("KITH_WEB_STATE_DIR") { return own }
    let base = RuntimeLocations.variable("XDG_STATE_HOME") ?? "\(RuntimeLocations.variable("HOME") ?? "")/.local/state"
    return "\(base)/kith-web"
  }
}
