internal import ArgumentParser
internal import KithMessages

struct BackupCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write a consistent copy of everything to a file, while kithd runs.",
    discussion: "Example: kith backup kith-backup.db")

  @OptionGroup var global: GlobalOptions

  @Argument(help: OutputFile.help, completion: .file())
  var file: String

  func run(_ session: Session) async throws {
    let blob = try await session.ask(BackupRequest(), drawing: "backup")
    try await session.save(blob, to: self.file)
  }
}
