internal import ArgumentParser
internal import Bus
internal import Glibc
internal import KithClient
internal import KithMessages

/// Hands over to `kithd restore`, which opens the state directory.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of everything that kithd has, while it is stopped.",
    discussion: """
      The files of before are kept in the state directory, in before-restore-TIME.
      Example: kith restore /srv/backup/kith/kith-20260131T033000Z-3f9a2c1b.tar
      """)

  @Argument(
    help: "A backup: a file of the folder of [backup], or one that `kith backup` wrote.", completion: .file())
  var file: String?

  @Flag(help: "Restores the copy that kithd made before it last migrated the store, to go back to an earlier release.")
  var beforeUpgrade = false

  @Option(help: "The file with the passphrase of an encrypted backup. Default: that of the configuration.")
  var passphraseFile: String?

  @Option(help: "The file with a private key of age, for a backup that was encrypted for its public key.")
  var identityFile: String?

  @Option(help: "Where the database is. Default: $KITH_STATE_DIR, else $XDG_STATE_HOME/kith.")
  var stateDir: String?

  @Option(
    help: "The configuration file. Default: $KITH_CONFIG, else $XDG_CONFIG_HOME/kith/kithd.toml if it exists.")
  var config: String?

  func validate() throws {
    guard (self.file == nil) == self.beforeUpgrade else {
      throw ValidationError("Name one backup, or use --before-upgrade.")
    }
  }

  func run() async throws {
    // Where there is another hub as well, kithd itself knows whether the directory is free.
    if self.stateDir == nil, (try? LocalHub.find(RuntimeLocations.places())) != nil {
      throw Failure(
        .failedPrecondition, "ALREADY_RUNNING",
        "kithd runs, and what it has can only be exchanged while it is stopped. Stop it, run this again, and start it: "
          + "systemctl --user stop kithd")
    }
    let program = "\(ProgramFolder.path)/kithd"
    var words = [program, "restore"] + (self.beforeUpgrade ? ["--before-upgrade"] : [])
    for (option, value) in [
      ("--passphrase-file", self.passphraseFile), ("--identity-file", self.identityFile),
      ("--state-dir", self.stateDir),
      ("--config", self.config),
    ] {
      if let value { words += [option, value] }
    }
    // A file may begin with a dash.
    if let file { words += ["--", file] }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw Failure(
      .notFound, "PROGRAM_MISSING", "\(program) cannot be run. Run it where kithd is installed: kithd restore FILE")
  }
}
