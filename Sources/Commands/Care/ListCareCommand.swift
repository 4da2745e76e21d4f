internal import ArgumentParser
internal import KithMessages

struct ListCareCommand: BilingualCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the entries of a day, or the newest.",
    discussion: "Example: kith care list --day 2026-11-20")

  @OptionGroup var global: GlobalOptions
  @OptionGroup var tongue: TongueOption

  @Option(help: "A day as YYYY-MM-DD.")
  var day = ""

  @Option(help: "Only this category.")
  var category = ""

  @Option(help: "Only entries whose review is none, needed or done.")
  var review = ""

  @Option(help: "How many, at most 500.")
  var limit: UInt32?

  @Option(help: "nextCursor of the previous page.")
  var cursor = ""

  @Flag(help: "Only deleted entries.")
  var deleted = false

  func carryOut(_ session: Session) async throws {
    var request = ListCareRequest()
    request.day = self.day
    request.category = self.category
    request.review = self.review
    request.limit = self.limit ?? 0
    request.cursor = self.cursor
    request.includeDeleted = self.deleted
    let reply = try await session.ask(request)
    try session.show(reply, CareTable(reply).lines(session))
  }
}
