internal import ArgumentParser
internal import KithMessages

struct ReminderStatusCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the daily reminder, due reminders and coming ones.",
    discussion: "Example: kith remind status --json")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  func carryOut(_ session: Session) async throws {
    let reply = try await session.ask(ReminderStatusRequest())
    let say = session.tongue
    try session.show(
      reply,
      [reply.daily.words(session)] + reply.daily.deliveryLines(session)
        + ["", session.console.style.bold(say("Due", "期限が来たもの"))]
        + ReminderTable(reply.due, empty: say("Nothing is due.", "ありません。")).lines(session)
        + ["", session.console.style.bold(say("To come", "これから"))]
        + ReminderTable(reply.pending, empty: say("Nothing is to come.", "ありません。")).lines(session))
  }
}
