internal import ArgumentParser
internal import Bus
internal import KithMessages

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Backups: a copy of everything, made while kithd runs.",
    discussion: """
      kithd makes one every day if [backup] in kithd.toml names a folder. To restore one: kith restore FILE
      Example: kith backup list
      """,
    subcommands: [WriteBackupCommand.self, MakeBackupCommand.self, ListBackupsCommand.self],
    defaultSubcommand: WriteBackupCommand.self)

  @OptionGroup var global: GlobalOptions
}

struct WriteBackupCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "write", abstract: "Write a consistent copy of all records to a file.",
    discussion: "Example: kith backup kith-backup.db")

  @OptionGroup var global: GlobalOptions

  @Argument(help: OutputFile.help, completion: .file())
  var file: String

  func run(_ session: Session) async throws {
    let blob = try await session.ask(BackupRequest(), drawing: session.language("backup", "バックアップ"))
    try await session.save(blob, to: self.file)
  }
}

struct MakeBackupCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "now", abstract: "Make a backup in the configured folder now, and check it.",
    discussion: "Example: kith backup now")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let made = try await session.ask(MakeBackupRequest(), drawing: session.language("backup", "バックアップ"))
    var lines = [
      session.language("Made and checked:", "作成し、確認しました:") + " \(Printable.text(made.name)), \(Count.bytes(made.size))"
    ]
    if !made.fault.isEmpty { lines.append(Self.fault(made.error, made.fault, session)) }
    try await session.show(made, lines)
  }

  /// What went wrong; what an earlier release stored is a sentence without a reason.
  static func fault(_ error: Status, _ stored: String, _ session: Session) -> String {
    Printable.text(error.reason.isEmpty ? stored : session.sentence(Failure(status: error)))
  }
}

struct ListBackupsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the backups that are kept, and attempts that failed.",
    discussion: "Example: kith backup list")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let state = try await session.ask(ListBackupsRequest())
    // What a person had written to a file; an admin sees it.
    let checkup = state.folder.isEmpty ? try await session.askIfPermitted(CheckupRequest()) : nil
    try await session.show(state, Self.lines(state, checkup, session))
  }

  private static func lines(_ state: BackupState, _ checkup: CheckupReply?, _ session: Session) -> [String] {
    let say = session.language
    guard !state.folder.isEmpty else {
      return [
        say(
          "No backups are made every day. Add folder = \"/…\" under [backup] in kithd.toml and restart kithd.",
          "毎日のバックアップは作られていません。kithd.toml の [backup] に folder = \"/…\" を書き、kithd を再起動してください。")
      ]
        + (checkup.map { checkup in
          guard checkup.hasBackedUpAt else { return [say("None was written to a file.", "ファイルへのバックアップもありません。")] }
          let when = session.relative(checkup.backedUpAt)
          return [say("The last one was written to a file \(when).", "最後にファイルに書き出したのは\(when)です。")]
        } ?? [])
    }
    var lines = [
      say(
        "In \(Printable.text(state.folder)), every day at \(state.at).",
        "\(Printable.text(state.folder)) に毎日 \(state.at) に作ります。")
    ]
    if !state.fault.isEmpty { lines.append(MakeBackupCommand.fault(state.error, state.fault, session)) }
    guard !state.backups.isEmpty else { return lines }
    var table = Table([
      Column("MADE", "作成"), Column("STATE", "状態"), Column("SIZE", "大きさ", .right), Column("FILE", "ファイル", wraps: true),
    ])
    for backup in state.backups {
      let isGood = backup.knownState == .good
      table.add(
        session.ago(backup.made), isGood ? say("good", "良好") : say("failed", "失敗"),
        isGood ? Count.bytes(backup.size) : "",
        isGood ? backup.name : MakeBackupCommand.fault(backup.error, backup.fault, session))
    }
    return lines + table.lines(session)
  }
}
