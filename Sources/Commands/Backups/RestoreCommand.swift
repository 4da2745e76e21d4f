internal import ArgumentParser
internal import Bus
internal import Glibc
internal import Help
internal import KithClient
internal import KithMessages

/// Hands over to `kithd restore`, which opens the state directory.
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of everything that kithd has, while it is stopped.",
    discussion: """
      The files of before are kept in the state directory, in before-restore-TIME.
      On a terminal it asks first; in a script it needs --yes.
      Example: kith restore /srv/backup/kith/kith-20260131T033000Z-3f9a2c1b.tar
      """)

  @OptionGroup var backup: RestoreOptions

  @OptionGroup var confirmation: Confirmation

  func run() async throws {
    let say = Language.asked(in: CommandLine.arguments)
    // Where there is another hub as well, kithd itself knows whether the directory is free.
    if self.backup.stateDir == nil, (try? LocalHub.find(RuntimeLocations.places())) != nil {
      throw Failure(
        .failedPrecondition, "ALREADY_RUNNING",
        say(
          "kithd runs, and what it has can only be exchanged while it is stopped. Stop it, run this again, and start it: "
            + "systemctl --user stop kithd",
          "kithd が動いています。データの入れ替えは止めている間だけできます。止めてからもう一度実行し、そのあと起動してください: systemctl --user stop kithd")
      ).worded
    }
    try self.confirmation.ask(try self.question(say), isGrave: true, .standard, say)
    let program = "\(ProgramFolder.path)/kithd"
    var arguments: [UnsafeMutablePointer<CChar>?] =
      ([program, "restore"] + self.backup.words).map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw Failure(
      .notFound, "PROGRAM_MISSING",
      say(
        "\(program) cannot be run. Run it where kithd is installed: kithd restore FILE",
        "\(program) を実行できません。kithd のあるマシンで実行してください: kithd restore ファイル")
    ).worded
  }

  private func question(_ say: Language) throws(Failure) -> String {
    let state = try RuntimeLocations(runtimeDirectory: nil, stateDirectory: self.backup.stateDir).stateDirectory
    let file = self.backup.file.map { Printable.text($0) }
    return say(
      "\(file ?? "The copy from before the upgrade") replaces all data of kithd in \(state). The present data is "
        + "kept in \(state)/before-restore-TIME. Go on?",
      "\(state) の kithd のデータをすべて\(file.map { " \($0) " } ?? "アップグレード前の写し")と入れ替えます。"
        + "今のデータは \(state)/before-restore-日時 に残ります。続けますか?")
  }
}
