internal import ArgumentParser
internal import KithMessages

struct ListRemindersCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List coming reminders, or past ones.",
    discussion: "Example: kith remind list --past --limit 20")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Flag(help: "Those that were done, missed or removed, newest first.")
  var past = false

  @Option(help: "Only daily, call or person.")
  var kind = ""

  @Option(help: "How many, at most 500.")
  var limit: UInt32 = 50

  @Option(help: "nextCursor of the previous page.")
  var cursor = ""

  func carryOut(_ session: Session) async throws {
    var request = ListRemindersRequest()
    request.past = self.past
    request.kind = self.kind
    request.limit = self.limit
    request.cursor = self.cursor
    let reply = try await session.ask(request)
    try session.show(
      reply, ReminderTable(reply.reminders, empty: session.tongue("No reminders.", "お知らせはありません。")).lines(session))
  }
}
