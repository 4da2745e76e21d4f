internal import ArgumentParser
internal import Hub

/// Runs a worker for a hub in another process or on another machine. See `docs/operations.md`.
struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker", abstract: "Runs services for a hub in another process or on another machine.",
    discussion: "Example: kithd worker --serve transcriber --name speech")

  @Option(
    help:
      "The hub: tcp://HOST or tcp://HOST:PORT (the port of its commands), or the ipc:// URL of its work plane. Default: this machine's."
  )
  var hub: String?

  @Option(help: "The file of this worker's key, for a hub on another machine: kith keys new --file FILE.")
  var key: String?

  @Option(help: "The hub's public key, as `kith keys show` prints it there. Needed once: the key file stores it.")
  var serverKey: String?

  @Option(help: "The services, separated by commas: contacts, monica, transcriber, delivery, archive.")
  var serve: String

  @Option(help: "The worker's name: a-z, 0-9 and -. Only one worker at a time may use it.")
  var name = "worker"

  @Option(help: "Jobs at once, at most 16.")
  var slots = 4

  @Option(help: "Where secrets are kept on this machine. Default: $KITH_STATE_DIR, else $XDG_STATE_HOME/kith.")
  var stateDir: String?

  @Option(
    help: "Where recordings are during transcription. Default: $KITH_RUNTIME_DIR, else $XDG_RUNTIME_DIR/kith.")
  var runtimeDir: String?

  @Option(
    help: "The configuration file. Default: $KITH_CONFIG, else $XDG_CONFIG_HOME/kith/kithd.toml if it exists.")
  var config: String?

  func validate() throws {
    guard (1...16).contains(self.slots) else { throw ValidationError("--slots has to be between 1 and 16.") }
  }

  func run() async throws {
    let serves = self.serve.split(separator: ",").map(String.init)
    let code = await WorkerProcess(
      endpoint: self.hub, serves: serves, name: self.name, slots: self.slots, stateDirectory: self.stateDir,
      runtimeDirectory: self.runtimeDir, configPath: self.config, keyFile: self.key, serverKey: self.serverKey
    )
    .run()
    guard code == 0 else { throw ExitCode(code) }
  }
}
