internal import ArgumentParser
internal import KithMessages

struct ReminderStatusCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the daily reminder, what is due and what is to come.",
    discussion: "Example: kith remind status --json")

  @OptionGroup var global: GlobalOptions

  func run(_ session: Session) async throws {
    let reply = try await session.ask(ReminderStatusRequest())
    try session.show(
      reply,
      [reply.daily.words(session), "", session.console.style.bold("Due")]
        + ReminderTable(reply.due, empty: "Nothing is due.").lines(session)
        + ["", session.console.style.bold("To come")]
        + ReminderTable(reply.pending, empty: "Nothing is to come.").lines(session))
  }
}
