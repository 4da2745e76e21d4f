package import ArgumentParser

/// Which backup is restored, and where: the options of `kith restore` and of `kithd restore`.
package struct RestoreOptions: ParsableArguments {
  @Argument(
    help: "A backup: a file of the folder of [backup], or one that `kith backup` wrote.", completion: .file())
  package var file: String?

  @Flag(help: "Restores the copy that kithd made before it last migrated the store, to go back to an earlier release.")
  package var beforeUpgrade = false

  @Option(help: "The file with the passphrase of an encrypted backup. Default: that of the configuration.")
  package var passphraseFile: String?

  @Option(help: "The file with a private key of age, for a backup that was encrypted for its public key.")
  package var identityFile: String?

  @Option(help: "Where the database is. Default: $KITH_STATE_DIR, else $XDG_STATE_HOME/kith.")
  package var stateDir: String?

  @Option(
    help: "The configuration file. Default: $KITH_CONFIG, else $XDG_CONFIG_HOME/kith/kithd.toml if it exists.")
  package var config: String?

  package init() {}

  package func validate() throws {
    guard (self.file == nil) == self.beforeUpgrade else {
      throw ValidationError("Name one backup, or use --before-upgrade.")
    }
  }

  /// The options as they are written on a command line.
  package var words: [String] {
    var words = self.beforeUpgrade ? ["--before-upgrade"] : []
    for (option, value) in [
      ("--passphrase-file", self.passphraseFile), ("--identity-file", self.identityFile),
      ("--state-dir", self.stateDir), ("--config", self.config),
    ] {
      if let value { words += [option, value] }
    }
    // A file may begin with a dash.
    return words + (self.file.map { ["--", $0] } ?? [])
  }
}
