internal import ArgumentParser
internal import KithMessages

struct SnoozeReminderCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "snooze", abstract: "Snooze a due reminder.",
    discussion: "Example: kith remind snooze daily:2026-11-20")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Argument(help: "The reminder's id, as lists show it.")
  var id: String

  @Option(help: "In how many minutes. Default: 30.")
  var minutes: UInt32 = 0

  func carryOut(_ session: Session) async throws {
    var request = SnoozeReminderRequest()
    request.id = self.id
    request.minutes = self.minutes
    let reminder = try await session.ask(request)
    try session.show(reminder, ReminderTable([reminder], empty: "").lines(session))
  }
}
