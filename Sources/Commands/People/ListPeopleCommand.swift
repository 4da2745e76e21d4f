internal import ArgumentParser
internal import KithMessages

struct ListPeopleCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List people in the order of their names.",
    discussion: "Example: kith people list --tag family")

  @OptionGroup var global: GlobalOptions

  @OptionGroup var page: PageOptions

  @Option(help: "Only people with this tag.")
  var tag = ""

  @Flag(help: "Also archived people and people known only through others.")
  var all = false

  @Flag(help: "Also deleted people.")
  var deleted = false

  func run(_ session: Session) async throws {
    var request = ListPeopleRequest()
    self.page.fill(&request)
    request.tag = self.tag
    request.includeArchived = self.all
    request.includePartial = self.all
    request.includeDeleted = self.deleted
    try await session.show(page: try await session.ask(request), showsOwner: false)
  }
}

struct SearchPeopleCommand: HubCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find people by name, nickname, company or email, even if misspelt.",
    discussion: "Example: kith people search john")

  @OptionGroup var global: GlobalOptions

  @Argument(help: "The text to search for.")
  var text: [String]

  @OptionGroup var size: LimitOption

  func run(_ session: Session) async throws {
    var request = SearchPeopleRequest()
    request.text = self.text.joined(separator: " ")
    request.limit = self.size.limit
    let reply = try await session.ask(request)
    try session.show(
      reply, RecordTable(reply.people, PersonNames()).lines(session) + LimitOption.more(reply.more))
  }
}
