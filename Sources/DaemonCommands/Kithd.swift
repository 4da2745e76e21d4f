public import ArgumentParser
internal import Bus
internal import Daemon
internal import FailureWords
internal import Glibc
internal import Help
internal import Hub

/// The program `kithd`. See `docs/operations.md`.
public struct Kithd: AsyncParsableCommand {
  /// Its name, help and subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "kithd", abstract: "Syncs a home's contacts and serves them over ZeroMQ.",
    discussion: "Example: kithd --state-dir ~/.local/state/kith --runtime-dir $XDG_RUNTIME_DIR/kith",
    version: "kithd \(HubProcess.version)", subcommands: [RunCommand.self, WorkerCommand.self, RestoreCommand.self],
    defaultSubcommand: RunCommand.self)

  /// Makes a command whose options were not read yet.
  public init() {}

  /// Runs the program.
  public static func main() async { await Self.runProgram(manual: 8) }
}

/// Runs the hub: the default command.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs the daemon. This is the default.",
    discussion: "Example: kithd --state-dir ~/.local/state/kith --runtime-dir $XDG_RUNTIME_DIR/kith")

  @Option(help: "Where the database is. Default: $KITH_STATE_DIR, else $XDG_STATE_HOME/kith.")
  var stateDir: String?

  @Option(help: "Where the sockets are. Default: $KITH_RUNTIME_DIR, else $XDG_RUNTIME_DIR/kith.")
  var runtimeDir: String?

  @Option(
    help: "The configuration file. Default: $KITH_CONFIG, else $XDG_CONFIG_HOME/kith/kithd.toml if it exists.")
  var config: String?

  @Option(
    help: ArgumentHelp(
      "Also serve other machines over tcp, at this address of this machine. Default: tcp.address of the configuration.",
      valueName: "address[:port]"))
  var listen: String?

  func run() async throws {
    let code = await HubProcess(
      stateDirectory: self.stateDir, runtimeDirectory: self.runtimeDir, configPath: self.config, listen: self.listen
    )
    .run()
    guard code == 0 else { throw ExitCode(code) }
  }
}

/// Puts a backup in the place of the store. See `docs/operations.md`.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a backup in the place of the store, while kithd is stopped.",
    discussion: """
      The files of before are kept in the state directory, in before-restore-TIME.
      Example: kithd restore /srv/backup/kith/kith-20260131T033000Z-3f9a2c1b.tar
      """)

  @OptionGroup var backup: RestoreOptions

  func run() async throws {
    let process = RestoreProcess(
      path: self.backup.file, passphraseFile: self.backup.passphraseFile, identityFile: self.backup.identityFile,
      stateDirectory: self.backup.stateDir, configPath: self.backup.config)
    do throws(Failure) {
      let old = try await process.run()
      print(Self.folded(self.backup.file == nil ? Self.upgradeUndone(old) : Self.restored(old), STDOUT_FILENO))
    } catch {
      let sentence = Catalogue.isWanted ? error.inJapanese.message : error.message
      // A terminal is no journal.
      DaemonLog.end("kithd", Self.folded(sentence, STDERR_FILENO))
      throw ExitCode(error.reason.hasPrefix("CONFIG_") ? 2 : 1)
    }
  }

  /// A sentence in as many lines as the terminal needs.
  private static func folded(_ sentence: String, _ terminal: Int32) -> String {
    Columns.folded(sentence, to: Columns.of(terminal: terminal).map { $0 - "kithd: ".utf8.count } ?? .max)
      .joined(separator: "\n")
  }

  private static func restored(_ old: String) -> String {
    Catalogue.isWanted
      ? "バックアップを戻しました。kithd を起動してください。前のデータは \(old) にあります。"
      : "The backup is in place. Start kithd. What was there before is in \(old)."
  }

  private static func upgradeUndone(_ old: String) -> String {
    Catalogue.isWanted
      ? "アップグレード前のデータを戻しました。前の版を入れて起動してください。この版の kithd を起動すると、データがまた移行されます。"
        + "今までのデータは \(old) にあります。"
      : "The store from before the upgrade is in place. Install the release of before and start it: this kithd would "
        + "migrate the store again. What was there is in \(old)."
  }
}
