internal import ArgumentParser
internal import KithMessages

struct DoneReminderCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "done", abstract: "Mark a reminder as done.",
    discussion: "Example: kith remind done daily:2026-11-20")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The reminder's id, as lists show it.")
  var id: String

  func carryOut(_ session: Session) async throws {
    var request = DoneReminderRequest()
    request.id = self.id
    let reminder = try await session.ask(request)
    try session.show(reminder, ReminderTable([reminder], empty: "").lines(session))
  }
}
