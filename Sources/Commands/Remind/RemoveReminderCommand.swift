internal import ArgumentParser
internal import KithMessages

struct RemoveReminderCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a reminder.",
    discussion: "Example: kith remind remove daily:2026-11-20")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The reminder's id, as lists show it.")
  var id: String

  func carryOut(_ session: Session) async throws {
    var request = RemoveReminderRequest()
    request.id = self.id
    let reminder = try await session.ask(request)
    try session.show(reminder, ReminderTable([reminder], empty: "").lines(session))
  }
}
