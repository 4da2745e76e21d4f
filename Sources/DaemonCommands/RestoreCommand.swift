internal import ArgumentParser
internal import Hub

/// Puts a backup in the place of the store. See `docs/operations.md`.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a backup in the place of the store, while kithd is stopped.",
    discussion: """
      The files of before are kept in the state directory, in before-restore-TIME.
      Example: kithd restore /srv/backup/kith/kith-20260131T033000Z.tar
      """)

  @Argument(help: "A backup: a file of the folder of [backup], or one that `kith backup` wrote.")
  var file: String

  @Option(help: "The file with the passphrase of an encrypted backup. Default: that of the configuration.")
  var passphraseFile: String?

  @Option(help: "Where the database is. Default: $KITH_STATE_DIR, else $XDG_STATE_HOME/kith.")
  var stateDir: String?

  @Option(
    help: "The configuration file. Default: $KITH_CONFIG, else $XDG_CONFIG_HOME/kith/kithd.toml if it exists.")
  var config: String?

  func run() async throws {
    let code = await RestoreProcess(
      path: self.file, passphraseFile: self.passphraseFile, stateDirectory: self.stateDir, configPath: self.config
    ).run()
    guard code == 0 else { throw ExitCode(code) }
  }
}
