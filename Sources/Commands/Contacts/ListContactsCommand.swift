internal import ArgumentParser
internal import KithMessages

struct ListContactsCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List contacts in the order of their names.",
    discussion: "Example: kith contacts list --limit 20")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  @Option(help: "Only contacts of this source.")
  var source = ""

  @Flag(help: "Also deleted contacts.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ListContactsRequest()
    self.page.fill(&request)
    request.source = self.source
    request.includeDeleted = self.deleted
    let reply = try await session.ask(request)
    try session.show(
      reply, ContactTable(reply.contacts).lines(session.console.style) + PageOptions.more(reply.nextCursor))
  }
}
